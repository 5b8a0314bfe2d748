import type { AgreementEnvelope, CheckpointTuple } from '../../schemas/api/pairing.ts'

/** The two pipelines signed for different things at one height. */
export interface Divergence {
  /** The first of the nine compared fields that differs. */
  field: keyof CheckpointTuple
  /** The height asked for. */
  height: number
  /** Both are signed with keys trusted at the time. */
  own: AgreementEnvelope
  peer: AgreementEnvelope
  /** RFC 3339, UTC. */
  firstSeenAt: string
}

/** How many are kept: the oldest is dropped. */
export const MAX_DIVERGENCES = 1_000

/** Where the pipelines disagreed: evidence, kept across restarts. */
export interface Divergences {
  /**
   * Keeps the first of each distinct divergence: the same height and the same two tuples are one,
   * whatever keys they were signed with. False if it was known. Throws `StorageUnavailableError`.
   */
  note(divergence: Divergence): Promise<boolean>
  /** Newest first. */
  list(): Promise<Divergence[]>
}
