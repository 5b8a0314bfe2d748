import type { RawBlock } from '../domain/raw-block.ts'
import type { BlockRef } from '../schemas/scalars.ts'

/** A block of the chain that is being folded, with the height that its bytes do not name. */
export interface PlacedBlock extends BlockRef {
  block: RawBlock
}

/**
 * State that is a function of the blocks from a start height on: the pairing index, the circles.
 * `connect` and `disconnect` are one atomic, durable write each, so a crash resumes exactly; throws
 * `StorageUnavailable` when that write fails, and then nothing of it has happened.
 */
export interface BlockFold {
  /** The first height that is folded; what is below it counts as empty. */
  readonly startHeight: number
  /** The last block folded; null before the first. */
  tip(): BlockRef | null
  /** The hash folded at a height; null where there is none. */
  hashAt(height: number): string | null
  /** Consecutive blocks, the first on top of the tip (or at `startHeight`). Never empty. */
  connect(blocks: readonly PlacedBlock[]): Promise<void>
  /** Takes the tip back. */
  disconnect(): Promise<void>
}
