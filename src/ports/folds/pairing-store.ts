import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
} from '../../schemas/api/pairing.ts'
import type { Network, Txid } from '../../schemas/scalars.ts'

/**
 * Where a record began, as text that sorts as (height, index of the transaction, vout) does:
 * eight hex digits each.
 */
export type PlaceText = string

export interface StoredObject {
  place: PlaceText
  object: PairingObject
}

export interface StoredCarrier {
  place: PlaceText
  carrier: PairingCarrier
}

/** What an index's records depend on besides the chain: fixed for the life of a store. */
export interface PairingSettings {
  deployment: string
  network: Network
  startHeight: number
  /** The first four bytes of a marker's data, one character each. */
  magic: string
}

/** What a block changed, each record as it was before; null: it did not exist. */
export interface BlockUndo {
  objects: [objectKey: string, before: StoredObject | null][]
  carriers: [outpoint: string, before: StoredCarrier | null][]
  /** The transactions that it recorded. */
  txids: Txid[]
}

/** What this pipeline signed for a checkpoint when it was made. */
export interface StoredSignature {
  /** SHA-256 of the statement's digest and the public key: differs for another key or release. */
  digest: string
  signature: string
}

/** The tables by name: key and value of each. */
export interface PairingRecords {
  /** Under 'settings'. */
  settings: [key: string, value: PairingSettings]
  objects: [objectKey: string, value: StoredObject]
  /** By `txid:vout`. */
  carriers: [outpoint: string, value: StoredCarrier]
  transactions: [txid: Txid, value: PairingTransaction]
  /** The events of one transaction, in order; no row if there are none. */
  events: [txid: Txid, value: PairingEvent[]]
  checkpoints: [height: number, value: CheckpointTuple]
  /** None if there was no signing boundary. */
  signatures: [height: number, value: StoredSignature]
  /** The undo data of the blocks that changed anything; never removed. */
  undo: [height: number, value: BlockUndo]
  /** Sort orders and look-ups derived from the rest: src/pairing/fold/index-rows.ts. */
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
  /** In key order; strings sort by their bytes. */
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

/** Stores the pairing index. Both throw `StorageUnavailableError` when the store cannot be used. */
export interface PairingStore {
  /** Everything `query` reads is from one moment; it must not read after it has returned. */
  read<T>(query: (tables: PairingReads) => T): T
  /**
   * The puts and removes of `action` take effect together or, if it throws, not at all; it reads
   * its own writes. Resolves when everything is durable.
   */
  write<T>(action: (tables: PairingTables) => T): Promise<T>
}
