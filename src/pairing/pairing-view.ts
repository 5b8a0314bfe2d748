import type { KeptSignature, PairingReads, ReadTable } from '../ports/folds/pairing-store.ts'
import type { PairingBlock, PairingView } from '../ports/folds/pairing-views.ts'
import type {
  CheckpointTuple,
  PairingCarrier,
  PairingEvent,
  PairingObject,
  PairingTransaction,
  SearchResult,
} from '../schemas/api/pairing.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { beginningWith, byAddress, CARRIERS_BY_PLACE, OBJECTS_BY_PLACE } from './fold/index-rows.ts'
import { searchLabels } from './search-labels.ts'

/** Above the height of any block. */
const ABOVE_ALL = 2 ** 32

/** The index as of one read of the store. */
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

  signature(height: number): KeptSignature | null {
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

  carrier(txid: string, vout: number): PairingCarrier | null {
    return this.#carrierAt(`${txid}:${vout}`)
  }

  transaction(txid: string): PairingTransaction | null {
    return this.#reads.transactions.get(txid) ?? null
  }

  events(txid: string): PairingEvent[] {
    return this.#reads.events.get(txid) ?? []
  }

  carriersOf(address: string, limit: number): PairingCarrier[] {
    return this.#newest(byAddress(address), limit, (outpoint) => this.#carrierAt(outpoint))
  }

  objects(limit: number): PairingObject[] {
    return this.#newest(OBJECTS_BY_PLACE, limit, (objectKey) => this.object(objectKey))
  }

  carriers(limit: number): PairingCarrier[] {
    return this.#newest(CARRIERS_BY_PLACE, limit, (outpoint) => this.#carrierAt(outpoint))
  }

  checkpoints(limit: number): CheckpointTuple[] {
    const all = { from: 0, below: ABOVE_ALL, reverse: true, limit }
    return Array.from(this.#reads.checkpoints.range(all), ({ value }) => value)
  }

  search(query: string, limit: number): SearchResult[] {
    const text = query.toLowerCase()
    const objects = this.#objectsFound(text, limit)
    if (objects.length === limit) return objects
    const others = [
      ...foundAs('carrier', keysFrom(this.#reads.carriers, text, limit)),
      ...foundAs('transaction', keysFrom(this.#reads.transactions, text, limit)),
      ...foundAs('address', this.carriersOf(text, 1).length > 0 ? [text] : []),
    ]
    return [...objects, ...others.sort(byKey)].slice(0, limit)
  }

  /** Found by a prefix of their key or a substring of their label. */
  #objectsFound(text: string, limit: number): SearchResult[] {
    const byLabel = firstOf(searchLabels(this.#reads, text), limit)
    const keys = new Set([...keysFrom(this.#reads.objects, text, limit), ...byLabel])
    return [...keys]
      .sort()
      .slice(0, limit)
      .map((key) => {
        const label = this.object(key)?.label
        return { kind: 'object', key, ...(label && { label }) }
      })
  }

  /** The records named by the rows of a prefix, last row first. */
  #newest<T>(prefix: string, limit: number, find: (key: string) => T | null): T[] {
    const range = { ...beginningWith(prefix), reverse: true, limit }
    return Array.from(this.#reads.rows.range(range), ({ value }) => find(value)).filter(
      (found): found is T & {} => found !== null,
    )
  }

  #carrierAt(outpoint: string): PairingCarrier | null {
    return this.#reads.carriers.get(outpoint)?.carrier ?? null
  }
}

const keysFrom = (table: ReadTable<string, unknown>, prefix: string, limit: number): string[] => [
  ...table.keys({ ...beginningWith(prefix), limit }),
]

const foundAs = (kind: SearchResult['kind'], keys: readonly string[]): SearchResult[] =>
  keys.map((key) => ({ kind, key }))

function firstOf<T>(all: Iterable<T>, limit: number): T[] {
  const first: T[] = []
  if (limit < 1) return first
  for (const one of all) if (first.push(one) >= limit) break
  return first
}

const byKey = (one: SearchResult, other: SearchResult): number => (one.key < other.key ? -1 : 1)
