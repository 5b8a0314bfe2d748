import type { AgreementEnvelope, CheckpointTuple } from '../schemas/pairing.ts'

/** The two pipelines signed for different things at one height. */
export interface Divergence {
  /** The first of the nine compared fields that differs. */
  field: keyof CheckpointTuple
  /** That was asked for. */
  height: number
  /** Both are signed with keys that were trusted. */
  own: AgreementEnvelope
  peer: AgreementEnvelope
  /** RFC 3339, UTC. */
  firstSeenAt: string
}

/** How many are kept: the oldest goes. */
export const MAX_DIVERGENCES = 1_000

/** What the pipelines did not agree on: evidence, kept across restarts. */
export interface Divergences {
  /**
   * Keeps the first of each distinct divergence: the same height and the same two tuples are one,
   * whatever keys they were signed with. False where it was known. Throws `StorageUnavailable`.
   */
  note(divergence: Divergence): Promise<boolean>
  /** The newest first. */
  list(): Promise<Divergence[]>
}
