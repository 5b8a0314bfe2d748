import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../schemas/pairing.ts'
import type { BlockRef } from '../schemas/scalars.ts'

/** A block as the index has it. */
export interface PairingBlock {
  checkpoint: CheckpointTuple
  /** In their order, each with its events in theirs. */
  transactions: { transaction: PairingTransaction; events: PairingEvent[] }[]
}

/** Reads of the pairing index. Throws `StorageUnavailable` when the store can not be read. */
export interface PairingViews {
  /** Runs `query` in one read transaction: all that it sees is of one block. */
  read<T>(query: (view: PairingView) => T): T
}

/** One moment of the index. Lists are newest first, and never longer than `limit`. */
export interface PairingView {
  /** The last block folded. */
  tip(): BlockRef | null
  /** Null where there is none, whatever integer is asked for. */
  checkpoint(height: number): CheckpointTuple | null
  latestCheckpoint(): CheckpointTuple | null
  /** All that the block of a height recorded; null where there is none. */
  block(height: number): PairingBlock | null
  /** Keys and txids in lowercase hex. */
  object(objectKey: string): PairingObject | null
  carrier(txid: string, vout: number): PairingCarrier | null
  transaction(txid: string): PairingTransaction | null
  /** In order of their index; empty where the transaction made none, or is unknown. */
  events(txid: string): PairingEvent[]
  /** Spent ones included: by createdHeight, transaction index, vout, all descending. */
  carriersOf(address: string, limit: number): PairingCarrier[]
  /** `query` is trimmed and of allowed characters: objects first, then the rest, each by key. */
  search(query: string, limit: number): SearchResult[]
  objects(limit: number): PairingObject[]
  carriers(limit: number): PairingCarrier[]
  checkpoints(limit: number): CheckpointTuple[]
}
