import type { Divergence } from '../../schemas/api/pairing.ts'

/** Divergences are numbered in the order in which they were seen. */
export interface PlacedDivergence {
  place: number
  divergence: Divergence
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
  /** Newest first, from below a place on; null: from the newest. */
  page(limit: number, below: number | null): Promise<PlacedDivergence[]>
}
