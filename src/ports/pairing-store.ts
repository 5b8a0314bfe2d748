import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
} from '../schemas/pairing.ts'
import type { Network } from '../schemas/scalars.ts'

/**
 * Where a record began, as text that sorts as (height, index of the transaction, vout) does:
 * eight hex digits each.
 */
export type PlaceText = string

export interface KeptObject {
  place: PlaceText
  object: PairingObject
}

export interface KeptCarrier {
  place: PlaceText
  carrier: PairingCarrier
}

/** What the records of an index depend on besides the chain: one store is of one of these. */
export interface PairingSettings {
  deployment: string
  network: Network
  startHeight: number
  /** The first four bytes of a marker's data, one character each. */
  magic: string
}

/** What a block changed, each as it was before it; null: it was not there. */
export interface BlockUndo {
  objects: [objectKey: string, before: KeptObject | null][]
  carriers: [outpoint: string, before: KeptCarrier | null][]
  /** The transactions that it recorded. */
  txids: string[]
}

/** The tables by name: what is looked up, and what is found. */
export interface PairingRecords {
  /** Under 'settings'. */
  settings: [key: string, value: PairingSettings]
  objects: [objectKey: string, value: KeptObject]
  /** By `txid:vout`. */
  carriers: [outpoint: string, value: KeptCarrier]
  transactions: [txid: string, value: PairingTransaction]
  /** Of one transaction, in their order; none: no row. */
  events: [txid: string, value: PairingEvent[]]
  checkpoints: [height: number, value: CheckpointTuple]
  /** Of the blocks that changed anything; kept for ever. */
  undo: [height: number, value: BlockUndo]
  /** Orders and look-ups that follow from the rest: src/pairing/index-rows.ts. */
  rows: [key: string, value: string]
}

export interface Range<K> {
  /** Inclusive. */
  from: K
  /** Exclusive. */
  below: K
  /** From the end. */
  reverse?: boolean
  limit?: number
}

export interface ReadTable<K, V> {
  get(key: K): V | undefined
  /** In order of the keys; texts sort by their bytes. */
  range(range: Range<K>): Iterable<{ key: K; value: V }>
  keys(range: Range<K>): Iterable<K>
}

export interface PairingTable<K, V> extends ReadTable<K, V> {
  put(key: K, value: V): void
  remove(key: K): void
}

export type PairingReads = {
  readonly [T in keyof PairingRecords]: ReadTable<PairingRecords[T][0], PairingRecords[T][1]>
}

export type PairingTables = {
  readonly [T in keyof PairingRecords]: PairingTable<PairingRecords[T][0], PairingRecords[T][1]>
}

/** Keeps the pairing index. Both throw `StorageUnavailable` when the store can not be used. */
export interface PairingStore {
  /** All that `query` reads is of one moment; it must not read any more when it has returned. */
  read<T>(query: (tables: PairingReads) => T): T
  /**
   * What `action` puts and removes takes effect together or, when it throws, not at all; it reads its
   * own writes. Resolves when all is durable.
   */
  write<T>(action: (tables: PairingTables) => T): Promise<T>
}
