import { PEER_TROUBLES } from '../ports/peer-agreement.ts'

/**
 * Why a verified answer was withheld: logged and counted by this closed list, never sent (spec 7
 * rule 9).
 */
export const WITHHELD_CAUSES = [
  /** A readiness gate fails, or there is no checkpoint of the tip. */
  'not_ready',
  /** On mainnet, until PAIRING_MAINNET_VERIFIED says otherwise. */
  'mainnet_gate_closed',
  /** What this pipeline would say itself. */
  'own_envelope_malformed',
  'own_wrong_pipeline',
  'own_unknown_key',
  'own_invalid_signature',
  /** The other pipeline was not heard. */
  'peer_not_configured',
  ...PEER_TROUBLES,
  /** What it said proves nothing. */
  'peer_envelope_malformed',
  'peer_wrong_pipeline',
  'peer_unknown_key',
  'peer_invalid_signature',
  /** It signed for something else: the first of the nine fields that differs. */
  'wrong_deployment',
  'network_differs',
  'wrong_height',
  'blockHash_differs',
  'previousCheckpointHash_differs',
  'objectsRoot_differs',
  'carriersRoot_differs',
  'eventsRoot_differs',
  'checkpointHash_differs',
  /** The two checks around the read found different tuples. */
  'agreement_changed',
  /** The read saw another checkpoint than the checks. */
  'read_of_another_checkpoint',
  /** More reads wait for a check than are kept waiting. */
  'overloaded',
  /** A check ended in a defect of this service. */
  'check_failed',
] as const
export type WithheldCause = (typeof WITHHELD_CAUSES)[number]

export interface Withheld {
  agreed: false
  cause: WithheldCause
  /** For the log of this service alone. */
  detail: string
}

export const withheld = (cause: WithheldCause, detail: string): Withheld => ({
  agreed: false,
  cause,
  detail,
})
