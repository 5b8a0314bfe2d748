import { PEER_TROUBLES } from '../../ports/folds/peer-agreement.ts'

/**
 * Why a verified answer was withheld: logged and counted by this closed list, never sent (pairing
 * spec 7 rule 9).
 */
export const WITHHELD_CAUSES = [
  /** A readiness gate fails, or the tip has no checkpoint. */
  'not_ready',
  /** On mainnet, until PAIRING_MAINNET_VERIFIED is set. */
  'mainnet_gate_closed',
  /** This pipeline's own envelope. */
  'own_envelope_malformed',
  'own_wrong_pipeline',
  'own_unknown_key',
  'own_invalid_signature',
  /** No answer from the other pipeline. */
  'peer_not_configured',
  ...PEER_TROUBLES,
  /** Its answer proves nothing. */
  'peer_envelope_malformed',
  'peer_wrong_pipeline',
  'peer_unknown_key',
  'peer_invalid_signature',
  /** It signed something else: the first of the nine fields that differs. */
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
  /** The read saw a different checkpoint than the checks. */
  'read_of_another_checkpoint',
  /** Too many reads wait for a check. */
  'overloaded',
  /** A check ended in a defect of this service. */
  'check_failed',
] as const
export type WithheldCause = (typeof WITHHELD_CAUSES)[number]

export interface Withheld {
  agreed: false
  cause: WithheldCause
  /** Only for the log of this service. */
  detail: string
}

export const withheld = (cause: WithheldCause, detail: string): Withheld => ({
  agreed: false,
  cause,
  detail,
})
