import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../../schemas/api/pairing.ts'
import type { BlockRef, Txid } from '../../schemas/scalars.ts'
import type { PlaceText, StoredSignature } from './pairing-store.ts'

/** A block as stored in the index. */
export interface PairingBlock {
  checkpoint: CheckpointTuple
  /** In order, each with its events in order. */
  transactions: { transaction: PairingTransaction; events: PairingEvent[] }[]
}

/** Reads of the pairing index. Throws `StorageUnavailableError` when the store cannot be read. */
export interface PairingViews {
  /** Runs `query` in one read transaction: everything it reads is at one block. */
  read<T>(query: (view: PairingView) => T): T
}

/**
 * The index at one moment. Lists are newest first, never longer than `limit`, and continue after a
 * place or key, whether or not that record still exists.
 */
export interface PairingView {
  /** The last block folded. */
  tip(): BlockRef | null
  /** Null if there is none, for any integer. */
  checkpoint(height: number): CheckpointTuple | null
  latestCheckpoint(): CheckpointTuple | null
  /** Made with the checkpoint of a height; null if it was not signed. */
  signature(height: number): StoredSignature | null
  /** Everything the block at a height recorded; null if there is none. */
  block(height: number): PairingBlock | null
  /** Keys and txids in lowercase hex. */
  object(objectKey: string): PairingObject | null
  carrier(txid: Txid, vout: number): PairingCarrier | null
  transaction(txid: Txid): PairingTransaction | null
  /** Sorted by index; empty if the transaction made none, or is unknown. */
  events(txid: Txid): PairingEvent[]
  /** The events of one object, by height, transaction index and event index, all descending. */
  eventsOf(objectKey: string, limit: number, after?: EventPlace): PairingEvent[]
  /** Spent ones included: by createdHeight, transaction index, vout, all descending. */
  carriersOf(address: string, limit: number, after?: PlaceText): PairingCarrier[]
  /** `query` is trimmed and of allowed characters: objects first, then the rest, each by key. */
  search(query: string, limit: number, after?: SearchPlace): SearchResult[]
  objects(limit: number, after?: PlaceText): PairingObject[]
  carriers(limit: number, after?: PlaceText): PairingCarrier[]
  checkpoints(limit: number, below?: number): CheckpointTuple[]
  /**
   * What the block at a height changed, as it was after that block: objects by key, carriers by
   * outpoint. Null if there is no such block; a kind of which it changed more than `most` records is
   * null by itself.
   */
  changedIn(height: number, most: number): ChangedRecords | null
}

/** A place with the index of an event: eight more hex digits. */
export type EventPlace = string

export interface SearchPlace {
  isObject: boolean
  key: string
}

export interface ChangedRecords {
  objects: PairingObject[] | null
  carriers: PairingCarrier[] | null
}
