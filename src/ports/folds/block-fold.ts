import type { RawBlock } from '../../domain/chain/raw-block.ts'
import type { BlockHash, BlockRef } from '../../schemas/scalars.ts'

/** A block of the chain being folded, with its height, which its bytes do not contain. */
export interface PlacedBlock extends BlockRef {
  block: RawBlock
}

/**
 * State that is a function of the blocks from a start height on: the pairing index, the circles.
 * `connect` and `disconnect` are one atomic, durable write each, so the fold resumes exactly after
 * a crash; they throw `StorageUnavailableError` when the write fails, and then nothing has changed.
 */
export interface BlockFold {
  /** The first height folded; everything below counts as empty. */
  readonly startHeight: number
  /** The last block folded; null before the first. */
  tip(): BlockRef | null
  /** The hash folded at a height; null where there is none. */
  hashAt(height: number): BlockHash | null
  /** Consecutive blocks, the first on top of the tip (or at `startHeight`). Never empty. */
  connect(blocks: readonly PlacedBlock[]): Promise<void>
  /** Undoes the tip. */
  disconnect(): Promise<void>
}
