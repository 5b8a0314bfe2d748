import type { ChainableCommander } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import { unpackRow } from '../../../query-index/packed-row.ts'
import { QueryIndex } from '../../../query-index/query-index.ts'
import type { OrderRow } from '../../../query-index/row.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { withTimeout } from '../../../runtime/deadline.ts'
import { pace } from '../../../runtime/time-slice.ts'
import {
  type ChangeReply,
  changesAfter,
  LAST_CHANGE,
  lastPlaceOf,
  NO_CHANGE,
  rangeAfter,
} from './changes.ts'
import { completeRows, type IdRow } from './complete-rows.ts'
import type { Generation, Keyspace } from './keyspace.ts'
import { BUCKETS, bucketKey } from './row-buckets.ts'

/** Buckets per command pipeline. */
const BUCKETS_AT_ONCE = 64
/** Longest wait of a list for the index, milliseconds: a small book is loaded within it. */
const PATIENCE_MS = 2_000

export interface GenerationIndexOptions {
  keyspace: Keyspace
  clock: Pick<Clock, 'monotonic' | 'sleep' | 'turn'>
  generation: Generation
}

/**
 * The query index of one generation of the views, in memory: filled from the rows of the
 * generation, and brought up to date from its changes before each read.
 */
export class GenerationIndex {
  /** Its role changes once these views replace others. */
  generation: Generation
  readonly #keyspace: Keyspace
  readonly #clock: GenerationIndexOptions['clock']
  /** Null while the index is filled. */
  #index: QueryIndex | null = null
  #place = NO_CHANGE
  /** False if the views were replaced meanwhile. */
  #filling: Promise<boolean> | null = null
  /** The read of changes that has not begun yet: all callers until then share it. */
  #next: Promise<QueryIndex | null> | null = null
  /** The read of changes in progress, or the last one. */
  #last: Promise<unknown> = Promise.resolve()

  constructor({ keyspace, clock, generation }: GenerationIndexOptions) {
    this.generation = generation
    this.#keyspace = keyspace
    this.#clock = clock
  }

  get isFilled(): boolean {
    return this.#index !== null
  }

  /**
   * The index at the time of this call or later: a reader finds all that was written before its
   * call. Null if the views were replaced. Throws `StorageUnavailableError`, `loading`, while the
   * index is filled for longer than 2 s.
   */
  async current(): Promise<QueryIndex | null> {
    if (!this.#index && !(await this.#soonFilled())) return null
    this.#next ??= this.#afterLast()
    return this.#next
  }

  async #soonFilled(): Promise<boolean> {
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null
    })
    const isFilled = await withTimeout(this.#clock, PATIENCE_MS, this.#filling)
    if (isFilled === 'late') throw loading()
    return isFilled
  }

  async #afterLast(): Promise<QueryIndex | null> {
    await this.#last.catch(() => undefined)
    // A call from here on needs another read.
    this.#next = null
    const reading = this.#catchUp()
    this.#last = reading
    return reading
  }

  async #catchUp(): Promise<QueryIndex | null> {
    for (;;) {
      const index = this.#index
      if (!index) throw loading()
      const replies = await this.#read((pipeline, prefix) =>
        pipeline.xrangeBuffer(`${prefix}changes`, ...rangeAfter(this.#place)),
      )
      if (!replies) return null
      const after = changesAfter(this.#place, replies[0] as ChangeReply)
      if (!after) {
        this.#index = null
        if (!(await this.#soonFilled())) return null
        continue
      }
      const rows = after.changes.map(({ orderId, row }): IdRow => [orderId, row])
      const whole = await completeRows(this.#keyspace, this.generation, rows)
      if (!whole) return null
      for (const [id, row] of whole) put(index, id, row)
      this.#place = after.place
      if (!after.hasMore) return index
      await this.#clock.turn()
    }
  }

  async #fill(): Promise<boolean> {
    const last = await this.#read((pipeline, prefix) =>
      pipeline.xrevrangeBuffer(`${prefix}changes`, ...LAST_CHANGE),
    )
    if (!last) return false
    // A row that is read later may be newer than this place: its changes are then skipped.
    const place = lastPlaceOf(last[0] as ChangeReply)
    const index = new QueryIndex(this.#keyspace.network)
    const paced = pace(this.#clock)
    for (let first = 0; first < BUCKETS; first += BUCKETS_AT_ONCE) {
      const buckets = await this.#read((pipeline, prefix) => {
        for (let n = first; n < first + BUCKETS_AT_ONCE; n += 1)
          pipeline.callBuffer('HGETALL', prefix + bucketKey(n))
      })
      if (!buckets) return false
      for (const fields of buckets) {
        const rows = sortedRows(fields as Buffer[])
        const whole = await completeRows(this.#keyspace, this.generation, rows)
        if (!whole) return false
        for (const [id, row] of whole) index.fill(id, row)
        await paced()
      }
    }
    for (const _sort of index.sortFilled()) await this.#clock.turn()
    this.#index = index
    this.#place = place
    return true
  }

  #read(ask: (pipeline: ChainableCommander, prefix: string) => void): Promise<unknown[] | null> {
    return this.#keyspace.readOf(this.generation, ask)
  }
}

const loading = (): StorageUnavailableError =>
  new StorageUnavailableError('loading', 'the index of the orders is being loaded', {
    store: 'redis',
  })

/** A row is never replaced by an older one. */
function put(index: QueryIndex, id: string, row: OrderRow): void {
  if (row.seq > (index.seqOf(id) ?? 0)) index.put(id, row)
}

/** The rows of a bucket, HGETALL's fields and values, in the order of their ids. */
function sortedRows(fields: readonly Buffer[]): IdRow[] {
  const rows: IdRow[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [id, row] = [fields[at], fields[at + 1]]
    if (id && row) rows.push([id.toString('hex'), unpackRow(row)])
  }
  return rows.sort(([a], [b]) => (a < b ? -1 : 1))
}
