import type { Database } from 'lmdb'
import {
  POOL_BOUNDS,
  type PoolBounds,
  type PoolSize,
  type PutInPool,
  type UnprovedPool,
  type UnprovedQuery,
} from '../../../ports/views/unproved-pool.ts'
import type { Txid } from '../../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../../schemas/unproved.ts'
import {
  ageOf,
  type Facts,
  listName,
  pack,
  poolFactsOf,
  revisionOf,
  unpack,
} from '../../pool-facts.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

type ByTime = Database<true, [at: number, id: string]>
type ByName = Database<true, [name: string, at: number, id: string]>
/** The part of the store that the pool needs. */
export type PoolStore = Pick<LmdbStore, 'table' | 'write'>
interface Tally {
  orders: number
  bytes: number
}

interface KeyRange {
  start: [string, number, string]
  end: [string, number, string]
}

const FORGOTTEN_AT_ONCE = 100
/** To count more keys takes milliseconds of the event loop: that count serves for this long. */
const MANY = 1_000
const COUNTED_MS = 1_000
const LAST = Number.MAX_SAFE_INTEGER
/** Sorts after every id. */
const AFTER_IDS = 'g'
/** The tally of the whole pool; each client has a key of its own. */
const ALL = 'all'
const clientKey = (client: string): string => `client ${client}`

/** The pool in the LMDB environment of DATA_DIR. */
export class EmbeddedUnprovedPool implements UnprovedPool {
  readonly #store: PoolStore
  readonly #bounds: PoolBounds
  readonly #bytes: Database<Buffer, string>
  readonly #facts: Database<Facts, string>
  readonly #byTime: ByTime
  readonly #due: ByTime
  readonly #byOutput: ByName
  readonly #byClient: ByName
  readonly #byTxid: Database<true, [txid: Txid, id: string]>
  readonly #lists: ByName
  readonly #tallies: Database<Tally, string>
  /** By list. */
  readonly #largeCounts = new Map<string, { orders: number; at: number }>()

  constructor(store: PoolStore, bounds: PoolBounds = POOL_BOUNDS) {
    this.#store = store
    this.#bounds = bounds
    this.#bytes = store.table('unproved')
    this.#facts = store.table('unproved facts')
    this.#byTime = store.table('unproved by time')
    this.#due = store.table('unproved by next look')
    this.#byOutput = store.table('unproved by output')
    this.#byClient = store.table('unproved by client')
    this.#byTxid = store.table('unproved by transaction')
    this.#lists = store.table('unproved lists')
    this.#tallies = store.table('unproved tallies')
  }

  async put(entry: UnprovedOrder, before: UnprovedOrder | null, nowMs: number): Promise<PutInPool> {
    const packed = await pack(entry)
    const { bytes } = packed
    if (bytes.length > this.#bounds.bytesOfOne) return 'too large'
    const { id } = entry.order
    const facts = poolFactsOf(entry, packed)
    const read = before && revisionOf(before)
    return await this.#store.write(() => {
      const known = this.#facts.get(id)
      if (!this.#isUnchanged(known, read, nowMs)) return 'changed'
      this.#forgetOld(nowMs)
      this.#drop(id)
      this.#makeRoom(facts)
      this.#bytes.putSync(id, bytes)
      const due = known?.lookAt ?? null
      this.#index(id, due !== null && due <= nowMs ? { ...facts, lookAt: due } : facts)
      return 'kept'
    })
  }

  async find(id: string, nowMs: number): Promise<UnprovedOrder | null> {
    const facts = this.#facts.get(id)
    return facts && this.#isKept(facts, nowMs) ? await this.#read(id) : null
  }

  async remove(entry: UnprovedOrder): Promise<boolean> {
    const { id } = entry.order
    if (!this.#facts.get(id)) return true
    const read = revisionOf(entry)
    return await this.#store.write(() => {
      const known = this.#facts.get(id)
      if (known && !isRevision(known, read)) return false
      this.#drop(id)
      return true
    })
  }

  async atOutput(outpoint: string, nowMs: number): Promise<UnprovedOrder[]> {
    const ids = [...this.#byOutput.getKeys(named(outpoint))].map(([, , id]) => id)
    const found = await Promise.all(ids.reverse().map((id) => this.find(id, nowMs)))
    return found.filter((entry) => entry !== null)
  }

  async list({
    state,
    source,
    newestFirst,
    limit,
    after,
  }: UnprovedQuery): Promise<UnprovedOrder[]> {
    const name = listKey(newestFirst, listName(state, source))
    const from = after ? ageOf(after.createdAt, newestFirst) : -LAST
    const start: [string, number, string] = [name, from, after?.id ?? '']
    const end: [string, number, string] = [name, LAST, AFTER_IDS]
    const ids = [...this.#lists.getKeys({ start, end, limit: limit + 1 })].map(([, , id]) => id)
    const entries: UnprovedOrder[] = []
    // One after another, with turns of the event loop between: an entry may have 256 KiB packed.
    for (const id of ids.filter((one) => one !== after?.id).slice(0, limit)) {
      const entry = await this.#read(id)
      if (entry) entries.push(entry)
    }
    return entries
  }

  async count(
    { state, source }: Pick<UnprovedQuery, 'state' | 'source'>,
    nowMs: number,
  ): Promise<number> {
    const name = listKey(true, listName(state, source))
    const known = this.#largeCounts.get(name)
    if (known && nowMs >= known.at && nowMs - known.at < COUNTED_MS) return known.orders
    const range: KeyRange = { start: [name, -LAST, ''], end: [name, LAST, AFTER_IDS] }
    const orders = this.#lists.getKeysCount(range)
    if (orders > MANY) this.#largeCounts.set(name, { orders, at: nowMs })
    else this.#largeCounts.delete(name)
    return orders
  }

  async takeDue(nowMs: number, leaseMs: number, limit: number): Promise<UnprovedOrder[]> {
    const isAnyDue = [...this.#due.getKeys({ end: [nowMs, AFTER_IDS], limit: 1 })].length > 0
    if (!isAnyDue) return []
    const ids = await this.#store.write(() => {
      const keys = [...this.#due.getKeys({ end: [nowMs, AFTER_IDS], limit })]
      for (const [, id] of keys) this.#setLook(id, nowMs + leaseMs)
      return keys.map(([, id]) => id)
    })
    const found = await Promise.all(ids.map((id) => this.find(id, nowMs)))
    return found.filter((entry) => entry !== null)
  }

  async wake(txids: readonly Txid[], nowMs: number): Promise<void> {
    const ids = txids.flatMap((txid) =>
      [...this.#byTxid.getKeys({ start: [txid, ''], end: [txid, AFTER_IDS] })].map(([, id]) => id),
    )
    if (ids.length === 0) return
    await this.#store.write(() => {
      for (const id of ids) this.#setLook(id, nowMs)
    })
  }

  async tidy(nowMs: number): Promise<PoolSize> {
    const end: [number, string] = [nowMs - this.#bounds.retentionMs, AFTER_IDS]
    const isAnyOld = [...this.#byTime.getKeys({ end, limit: 1 })].length > 0
    if (isAnyOld) await this.#store.write(() => this.#forgetOld(nowMs))
    return this.#tally(ALL)
  }

  #isKept({ importedAt }: Facts, nowMs: number): boolean {
    return nowMs - importedAt < this.#bounds.retentionMs
  }

  async #read(id: string): Promise<UnprovedOrder | null> {
    const bytes = this.#bytes.get(id)
    return bytes ? await unpack(bytes) : null
  }

  /** Is it still what was read, which has this revision; null: there was none? */
  #isUnchanged(known: Facts | undefined, read: string | null, nowMs: number): boolean {
    return read === null ? !known || !this.#isKept(known, nowMs) : isRevision(known, read)
  }

  #forgetOld(nowMs: number): void {
    const end: [number, string] = [nowMs - this.#bounds.retentionMs, AFTER_IDS]
    for (const [, id] of [...this.#byTime.getKeys({ end, limit: FORGOTTEN_AT_ONCE })])
      this.#drop(id)
  }

  /** Drops the oldest: first of the output, then of the client, then of all. */
  #makeRoom({ outpoint, client, bytes }: Facts): void {
    const { atOneOutput, ofOneClient, bytesOfOneClient, inAll, bytesInAll } = this.#bounds
    const ofOutput = named(outpoint)
    // Counting mutates its options.
    while (this.#byOutput.getKeysCount({ ...ofOutput }) >= atOneOutput) {
      this.#dropFirst(this.#byOutput.getKeys({ ...ofOutput, limit: 1 }))
    }
    while (!fits(this.#tally(clientKey(client)), bytes, ofOneClient, bytesOfOneClient)) {
      this.#dropFirst(this.#byClient.getKeys({ ...named(client), limit: 1 }))
    }
    while (!fits(this.#tally(ALL), bytes, inAll, bytesInAll)) {
      this.#dropFirst(this.#byTime.getKeys({ limit: 1 }))
    }
  }

  #dropFirst(keys: Iterable<readonly (string | number)[]>): void {
    const [first] = keys
    if (!first) throw new Error('the tallies of the pool do not match its entries')
    this.#drop(String(first.at(-1)))
  }

  #index(id: string, facts: Facts): void {
    const { client, outpoint, txid, importedAt, lookAt, bytes } = facts
    this.#facts.putSync(id, facts)
    this.#byTime.putSync([importedAt, id], true)
    this.#byOutput.putSync([outpoint, importedAt, id], true)
    this.#byClient.putSync([client, importedAt, id], true)
    this.#byTxid.putSync([txid, id], true)
    if (lookAt !== null) this.#due.putSync([lookAt, id], true)
    for (const key of listKeys(id, facts)) this.#lists.putSync(key, true)
    this.#count(clientKey(client), 1, bytes)
    this.#count(ALL, 1, bytes)
  }

  #drop(id: string): void {
    const facts = this.#facts.get(id)
    if (!facts) return
    const { client, outpoint, txid, importedAt, lookAt, bytes } = facts
    this.#bytes.removeSync(id)
    this.#facts.removeSync(id)
    this.#byTime.removeSync([importedAt, id])
    this.#byOutput.removeSync([outpoint, importedAt, id])
    this.#byClient.removeSync([client, importedAt, id])
    this.#byTxid.removeSync([txid, id])
    if (lookAt !== null) this.#due.removeSync([lookAt, id])
    for (const key of listKeys(id, facts)) this.#lists.removeSync(key)
    this.#count(clientKey(client), -1, -bytes)
    this.#count(ALL, -1, -bytes)
  }

  #setLook(id: string, lookAt: number): void {
    const facts = this.#facts.get(id)
    if (!facts) return
    if (facts.lookAt !== null) this.#due.removeSync([facts.lookAt, id])
    this.#facts.putSync(id, { ...facts, lookAt })
    this.#due.putSync([lookAt, id], true)
  }

  #tally(name: string): Tally {
    return this.#tallies.get(name) ?? { orders: 0, bytes: 0 }
  }

  #count(name: string, orders: number, bytes: number): void {
    const before = this.#tally(name)
    const after = { orders: before.orders + orders, bytes: before.bytes + bytes }
    if (after.orders === 0) this.#tallies.removeSync(name)
    else this.#tallies.putSync(name, after)
  }
}

const isRevision = (known: Facts | undefined, revision: string): boolean =>
  known !== undefined && (known.revision ?? revision) === revision

const named = (name: string): KeyRange => ({
  start: [name, 0, ''],
  end: [name, LAST, AFTER_IDS],
})

const listKey = (newestFirst: boolean, name: string): string =>
  `${newestFirst ? 'newest' : 'oldest'} ${name}`

const listKeys = (id: string, { lists, createdAt }: Facts): [string, number, string][] =>
  [true, false].flatMap((newestFirst) =>
    lists.map((name): [string, number, string] => [
      listKey(newestFirst, name),
      ageOf(createdAt, newestFirst),
      id,
    ]),
  )

const fits = ({ orders, bytes }: Tally, more: number, mostOrders: number, mostBytes: number) =>
  orders < mostOrders && bytes + more <= mostBytes
