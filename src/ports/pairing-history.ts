import type { PairingBlock } from './pairing-views.ts'

/** A block as the history has it. */
export interface WrittenBlock {
  height: number
  hash: string
  /** Commits to every block below it. */
  checkpointHash: string
}

/**
 * The rows of one deployment's pairing index in the history, for analysts. Rows written twice count
 * once. Throws `HistoryUnavailable`; then anything of a call may have happened, and it can come again.
 */
export interface PairingHistory {
  /**
   * The last block up to which, from a height on, all is there: every block on the one below it, and
   * all its transactions and events. Null: not even the first one. Reads every block.
   */
  whole(startHeight: number): Promise<WrittenBlock | null>
  /** Blocks that count as canonical, newest first, none above `upTo`. */
  lastWritten(limit: number, upTo?: number): Promise<WrittenBlock[]>
  /** Makes these blocks canonical, with all that they hold. Consecutive, lowest first. */
  write(blocks: readonly PairingBlock[]): Promise<void>
  /** These blocks are not canonical any more: they stay, marked. Those of one `lastWritten`. */
  markStale(blocks: readonly WrittenBlock[]): Promise<void>
}

/** A history that keeps the rows of pairing indexes too. */
export interface PairingHistories {
  pairing(deployment: string): PairingHistory
}
