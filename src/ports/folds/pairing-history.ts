import type { BlockHash } from '../../schemas/scalars.ts'
import type { PairingBlock } from './pairing-views.ts'

/** A block as stored in the history. */
export interface WrittenBlock {
  height: number
  hash: BlockHash
  /** Commits to every block below it. */
  checkpointHash: string
}

/**
 * The rows of one deployment's pairing index in the history, for analysts. Rows written twice count
 * once. Throws `HistoryUnavailableError`; any part of the call may then be done, and it can be repeated.
 */
export interface PairingHistory {
  /**
   * The last block up to which, from a height on, everything is stored: every block on top of the
   * one below it, with all its transactions and events. Null: not even the first one. Reads every
   * block.
   */
  whole(startHeight: number): Promise<WrittenBlock | null>
  /** Blocks that count as canonical, newest first, none above `upTo`. */
  lastWritten(limit: number, upTo?: number): Promise<WrittenBlock[]>
  /** Makes these blocks canonical, with all their contents. Consecutive, lowest first. */
  write(blocks: readonly PairingBlock[]): Promise<void>
  /** Marks blocks of one `lastWritten` as no longer canonical; their rows stay. */
  markStale(blocks: readonly WrittenBlock[]): Promise<void>
}

/** A history that also keeps the rows of pairing indexes. */
export interface PairingHistories {
  pairing(deployment: string): PairingHistory
}
