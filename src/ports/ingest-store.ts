import type { BareTransaction } from '../domain/bare-transaction.ts'
import type { Watermark } from '../schemas/log.ts'
import type { BlockRef } from '../schemas/scalars.ts'

/**
 * What the follower must know again after a crash: where it stands on the chain, which mempool
 * transactions it has told of, and the step that it was about to append. One writer.
 */
export interface IngestStore {
  /** Null: nothing was ever followed with this store. */
  state(): Promise<IngestState | null>
  /** The body of a block followed lately; null when it was never kept or is forgotten. */
  block(ref: BlockRef): Promise<KeptBlock | null>
  /** The txids of the mempool transactions that were told of. */
  mempool(): AsyncIterable<string>
  /** Bodies of those, in order; those not kept are left out. */
  transactions(txids: readonly string[]): Promise<readonly BareTransaction[]>
  /** All or none, durable when it resolves. */
  save(change: IngestChange): Promise<void>
}

/** Such a store near the process where the log keeps the real one, and how far it follows that. */
export interface IngestCopy extends Omit<IngestStore, 'save'> {
  position(): CopyPosition | null
  /** All or none. */
  apply(change: Partial<IngestChange>, position: CopyPosition): Promise<void>
  /** The kept blocks below a height. */
  keptBelow(height: number): readonly BlockRef[]
  /** Forgets everything. */
  clear(): Promise<void>
}

export interface CopyPosition {
  /** Which log it is a copy of: another one makes it worthless. */
  logId: string
  offset: number
}

export interface IngestState {
  /** The epoch of the watermarks; every start takes a higher one. */
  epoch: number
  /** The last block whose records are all in the log; null before the first. */
  tip: ChainPoint | null
  /** A step whose records may stand in the log in part: repeated whole at the next start. */
  pending: IngestStep | null
  /** What the next watermark must tell. */
  owed: Owed
  /** The last place of the asset index that was on the node's chain. */
  index: IndexPoint | null
}

export interface IngestChange {
  state: IngestState
  keep?: KeptBlock
  /** Kept blocks below this height are forgotten. */
  forgetBelow?: number
  entered?: readonly BareTransaction[]
  left?: readonly string[]
}

export type IngestStep =
  | { kind: 'connect'; block: ChainPoint }
  | { kind: 'disconnect'; block: ChainPoint; parent: ChainPoint }
  | { kind: 'mempool'; changes: readonly MempoolChange[] }

export interface MempoolChange {
  change: 'entered' | 'left'
  transaction: BareTransaction
  /** The node's number of this change where it pushed it. */
  sequence: number | null
}

export interface ChainPoint extends BlockRef {
  /** Null: the genesis block. */
  prevHash: string | null
}

export interface KeptBlock extends ChainPoint {
  /** Unix seconds, the miner's claim: shown, never used to order anything. */
  time: number
  transactions: readonly BareTransaction[]
}

export type Owed = Pick<Watermark, 'forkHeight' | 'lost'>
export type IndexPoint = NonNullable<Watermark['index']>
