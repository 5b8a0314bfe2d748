import type { BareTransaction } from '../../domain/chain/bare-transaction.ts'
import type { Watermark } from '../../schemas/log.ts'
import type { BlockHash, BlockRef, Txid } from '../../schemas/scalars.ts'
import type { NewRecord } from './event-log.ts'

/**
 * What the follower must still know after a crash: its position on the chain, the mempool
 * transactions it has reported, and the step it was about to append. One writer.
 */
export interface IngestStore {
  /** Null if nothing was ever followed with this store. */
  state(): Promise<IngestState | null>
  /** The body of a recently followed block; null if it was never kept or was removed. */
  block(ref: BlockRef): Promise<StoredBlock | null>
  /** The txids of the mempool transactions reported. */
  mempool(): AsyncIterable<Txid>
  /** Bodies of those, in order; those not kept are left out. */
  transactions(txids: readonly Txid[]): Promise<readonly BareTransaction[]>
  /** All or none, durable when it resolves. */
  save(change: IngestChange): Promise<void>
  /** `save` and an append to the log as one transaction; absent if log and store are separate. */
  saveWith?(records: readonly NewRecord[], change: IngestChange): Promise<void>
}

/** A local copy of a store that is kept in the log, and its position in that log. */
export interface IngestCopy extends Omit<IngestStore, 'save' | 'saveWith'> {
  position(): CopyPosition | null
  /** Applied in order; all or none. */
  apply(changes: readonly CopyChange[], position: CopyPosition): Promise<void>
  /** The kept blocks below a height. */
  storedBelow(height: number): readonly BlockRef[]
  /** Forgets everything. */
  clear(): Promise<void>
}

/** A change, or a part of one. */
export interface CopyChange extends Partial<IngestChange> {
  /** A block that is no longer kept. */
  forget?: BlockRef
}

export interface CopyPosition {
  /** The log that it is a copy of: it must not be used with another one. */
  logId: string
  offset: number
  /** When it was written, Unix milliseconds. */
  at: number
}

export interface IngestState {
  /** The epoch of the watermarks; every start takes a higher one. */
  epoch: number
  /** The last block whose records are all in the log; null before the first. */
  tip: ChainPoint | null
  /** A step whose records may be partly in the log: repeated whole at the next start. */
  pending: IngestStep | null
  /** What the next watermark must report. */
  owed: Owed
  /** The asset index's last position on the node's chain. */
  index: IndexPlace | null
}

export interface IngestChange {
  state: IngestState
  keep?: StoredBlock
  /** Kept blocks below this height are forgotten. */
  forgetBelow?: number
  entered?: readonly BareTransaction[]
  left?: readonly Txid[]
}

export type IngestStep =
  | { kind: 'connect'; block: ChainPoint }
  | { kind: 'disconnect'; block: ChainPoint; parent: ChainPoint }
  | { kind: 'mempool'; changes: readonly MempoolChange[] }

export interface MempoolChange {
  change: 'entered' | 'left'
  transaction: BareTransaction
  /** The node's sequence number of this change, if it pushed it. */
  sequence: number | null
}

export interface ChainPoint extends BlockRef {
  /** Null: the genesis block. */
  prevHash: BlockHash | null
}

export interface StoredBlock extends ChainPoint {
  /** Unix seconds, the miner's claim: shown, never used to order anything. */
  time: number
  transactions: readonly BareTransaction[]
}

export type Owed = Pick<Watermark, 'forkHeight' | 'lost' | 'touched'>
export type IndexPoint = NonNullable<Watermark['index']>
/** `build`: see `IndexStatus`. */
export type IndexPlace = IndexPoint & { build: string }
