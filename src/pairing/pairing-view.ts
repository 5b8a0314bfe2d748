import { outpointText } from '../domain/chain/outpoint.ts'
import type {
  PairingReads,
  PlaceText,
  Range,
  ReadTable,
  StoredObject,
  StoredSignature,
} from '../ports/folds/pairing-store.ts'
import type {
  ChangedRecords,
  EventPlace,
  PairingBlock,
  PairingView,
  SearchPlace,
} from '../ports/folds/pairing-views.ts'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../schemas/api/pairing.ts'
import type { BlockRef, Txid } from '../schemas/scalars.ts'
import { byOutpoint } from './agreement/checkpoint.ts'
import {
  beginningWith,
  byAddress,
  byObject,
  CARRIERS_BY_PLACE,
  OBJECTS_BY_PLACE,
  placeText,
  readEventRow,
} from './fold/index-rows.ts'
import { searchLabels } from './search-labels.ts'

/** Above the height of any block. */
const ABOVE_ALL = 2 ** 32

/** The index within one read of the store. */
export class StoredView implements PairingView {
  readonly #reads: PairingReads

  constructor(reads: PairingReads) {
    this.#reads = reads
  }

  tip(): BlockRef | null {
    const last = this.latestCheckpoint()
    return last && { height: Number(last.height), hash: last.blockHash }
  }

  checkpoint(height: number): CheckpointTuple | null {
    if (!Number.isSafeInteger(height)) return null
    return this.#reads.checkpoints.get(height) ?? null
  }

  latestCheckpoint(): CheckpointTuple | null {
    return this.checkpoints(1)[0] ?? null
  }

  signature(height: number): StoredSignature | null {
    return this.#reads.signatures.get(height) ?? null
  }

  block(height: number): PairingBlock | null {
    const checkpoint = this.checkpoint(height)
    if (!checkpoint) return null
    const transactions = (this.#reads.undo.get(height)?.txids ?? []).flatMap((txid) => {
      const transaction = this.transaction(txid)
      return transaction ? [{ transaction, events: this.events(txid) }] : []
    })
    return { checkpoint, transactions }
  }

  object(objectKey: string): PairingObject | null {
    return this.#reads.objects.get(objectKey)?.object ?? null
  }

  carrier(txid: Txid, vout: number): PairingCarrier | null {
    return this.#carrierAt(outpointText({ txid, vout }))
  }

  transaction(txid: Txid): PairingTransaction | null {
    return this.#reads.transactions.get(txid) ?? null
  }

  events(txid: Txid): PairingEvent[] {
    return this.#reads.events.get(txid) ?? []
  }

  eventsOf(objectKey: string, limit: number, after?: EventPlace): PairingEvent[] {
    const range = newestFirst(byObject(objectKey), limit, after)
    return Array.from(this.#reads.rows.range(range), ({ key, value: txid }) =>
      this.events(txid as Txid).at(readEventRow(key).eventIndex),
    ).filter((event) => event !== undefined)
  }

  carriersOf(address: string, limit: number, after?: PlaceText): PairingCarrier[] {
    const find = (outpoint: string) => this.#carrierAt(outpoint)
    return this.#newest(newestFirst(byAddress(address), limit, after), find)
  }

  objects(limit: number, after?: PlaceText): PairingObject[] {
    const find = (objectKey: string) => this.object(objectKey)
    return this.#newest(newestFirst(OBJECTS_BY_PLACE, limit, after), find)
  }

  carriers(limit: number, after?: PlaceText): PairingCarrier[] {
    const find = (outpoint: string) => this.#carrierAt(outpoint)
    return this.#newest(newestFirst(CARRIERS_BY_PLACE, limit, after), find)
  }

  checkpoints(limit: number, below: number = ABOVE_ALL): CheckpointTuple[] {
    const all = { from: 0, below, reverse: true, limit }
    return Array.from(this.#reads.checkpoints.range(all), ({ value }) => value)
  }

  search(query: string, limit: number, after?: SearchPlace): SearchResult[] {
    const text = query.toLowerCase()
    const objects =
      after?.isObject === false ? [] : this.#objectsFound(text, limit, after?.key ?? '')
    if (objects.length === limit) return objects
    const from = after?.isObject === false ? after.key : ''
    const others = [
      ...foundAs('carrier', keysFrom(this.#reads.carriers, text, limit, from)),
      ...foundAs('transaction', keysFrom(this.#reads.transactions, text, limit, from)),
      ...foundAs('address', text > from && this.carriersOf(text, 1).length > 0 ? [text] : []),
    ]
    return [...objects, ...others.sort(byKey)].slice(0, limit)
  }

  changedIn(height: number, most: number): ChangedRecords | null {
    if (!this.checkpoint(height)) return null
    const undo = this.#reads.undo.get(height)
    const outpoints = (undo?.carriers ?? []).map(([outpoint]) => outpoint)
    const keys = (undo?.objects ?? []).map(([objectKey]) => objectKey)
    const before = undoneBefore(this.#reads)
    return {
      objects:
        keys.length > most
          ? null
          : keys.sort().flatMap((key) => this.#objectAfter(height, key, before) ?? []),
      carriers:
        outpoints.length > most
          ? null
          : outpoints
              .flatMap((outpoint) => this.#carrierAt(outpoint) ?? [])
              .map((carrier) => carrierAfter(height, carrier))
              .sort(byOutpoint),
    }
  }

  /** The object after the block at a height: the undo data of the next block that changed it. */
  #objectAfter(height: number, key: string, before: UndoneBefore): PairingObject | null {
    const prefix = byObject(key)
    const from = prefix + placeText(height + 1, 0, 0)
    const [next] = this.#reads.rows.keys({ ...beginningWith(prefix), from, limit: 1 })
    return next === undefined ? this.object(key) : before(readEventRow(next).height, key)
  }

  /** Objects above a key, found by a prefix of their key or a substring of their label. */
  #objectsFound(text: string, limit: number, after: string): SearchResult[] {
    const byLabel = firstOf(searchLabels(this.#reads, text, after), limit)
    const keys = new Set([...keysFrom(this.#reads.objects, text, limit, after), ...byLabel])
    return [...keys]
      .sort()
      .slice(0, limit)
      .map((key) => {
        const label = this.object(key)?.label
        return { kind: 'object', key, ...(label && { label }) }
      })
  }

  /** The records named by the rows of a prefix, last row first. */
  #newest<T>(range: Range<string>, find: (key: string) => T | null): T[] {
    return Array.from(this.#reads.rows.range(range), ({ value }) => find(value)).filter(
      (found): found is T & {} => found !== null,
    )
  }

  #carrierAt(outpoint: string): PairingCarrier | null {
    return this.#reads.carriers.get(outpoint)?.carrier ?? null
  }
}

/** The rows of a prefix, last row first, from below a place on. */
function newestFirst(prefix: string, limit: number, after?: string): Range<string> {
  const all = beginningWith(prefix)
  return { ...all, ...(after !== undefined && { below: prefix + after }), reverse: true, limit }
}

/** The object as it was before the block at a height, which changed it. */
type UndoneBefore = (height: number, objectKey: string) => PairingObject | null

/** Each block's undo data is read once. */
function undoneBefore(reads: PairingReads): UndoneBefore {
  const known = new Map<number, Map<string, StoredObject | null>>()
  return (height, objectKey) => {
    const undo = known.get(height) ?? new Map(reads.undo.get(height)?.objects)
    known.set(height, undo)
    return undo.get(objectKey)?.object ?? null
  }
}

/** A carrier changes once after it is made: when it is spent. */
const carrierAfter = (height: number, carrier: PairingCarrier): PairingCarrier =>
  carrier.spentHeight !== null && carrier.spentHeight > height
    ? { ...carrier, spentByTxid: null, spentHeight: null }
    : carrier

/** The first keys with a prefix that are above a key. */
function keysFrom(
  table: ReadTable<string, unknown>,
  prefix: string,
  limit: number,
  after: string,
): string[] {
  const range = beginningWith(prefix)
  // A full stop sorts before every character that may follow in a key.
  const from = after < prefix ? prefix : `${after}.`
  return [...table.keys({ ...range, from, limit })]
}

const foundAs = (kind: SearchResult['kind'], keys: readonly string[]): SearchResult[] =>
  keys.map((key) => ({ kind, key }))

function firstOf<T>(all: Iterable<T>, limit: number): T[] {
  const first: T[] = []
  if (limit < 1) return first
  for (const one of all) if (first.push(one) >= limit) break
  return first
}

const byKey = (one: SearchResult, other: SearchResult): number => (one.key < other.key ? -1 : 1)
