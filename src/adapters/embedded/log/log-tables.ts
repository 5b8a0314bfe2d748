import type { Database } from 'lmdb'
import type { NewRecord, Stored } from '../../../ports/log/event-log.ts'
import type { Topic } from '../../../schemas/log.ts'
import { ALL_TOPICS, CLEAN_UP } from '../../log/clean-up.ts'
import { storedWith } from '../../log/inbox-news.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { LogTail } from './log-tail.ts'

/** When the record was appended (Unix milliseconds), its key, its value. */
export type Entry = [at: number, key: string, value: unknown]
/** An entry with its offset. */
export interface StoredEntry {
  offset: number
  at: number
  key: string
  value: unknown
}
export type LogPlace = [partition: number, offset: number]

export const tableOfTopic = (topic: Topic): string => `log ${topic}`

const LAST = Number.MAX_SAFE_INTEGER

/**
 * The topics as tables, records by partition and offset; a compacted topic also by key. The newest
 * records of some topics are in the tail, and follow the records of the topic's table.
 */
export class LogTables {
  readonly #tail: LogTail
  readonly #records = new Map<Topic, Database<Entry, LogPlace>>()
  readonly #latest = new Map<Topic, Database<number, [number, string]>>()

  constructor(store: LmdbStore) {
    this.#tail = new LogTail(store)
    for (const topic of ALL_TOPICS) {
      this.#records.set(topic, store.documents<Entry, LogPlace>(tableOfTopic(topic)))
      if (CLEAN_UP[topic].policy === 'compact') {
        this.#latest.set(topic, store.table<number, [number, string]>(`latest ${topic}`))
      }
    }
  }

  /** Only within a write. */
  append(records: readonly NewRecord[], at: number): void {
    const held = records.filter(({ topic }) => LogTail.holds(topic))
    const others = records.filter(({ topic }) => !LogTail.holds(topic))
    if (held.length > 0 && !this.#tail.append(held, at, this.#endOfTable)) {
      this.settle()
      this.#put(held, at)
    }
    this.#put(others, at)
  }

  /** Only within a write: moves the records of the tail to their tables. */
  settle(): void {
    for (const { topic, partition, offset, at, key, value } of this.#tail.take()) {
      this.#table(topic).putSync([partition, offset], [at, key, value])
    }
  }

  /** The offset of the next record. */
  end(topic: Topic, partition: number): number {
    return this.#tail.end(topic, partition) ?? this.#endOfTable(topic, partition)
  }

  /** Not within a write. */
  range(topic: Topic, partition: number, from: number, limit: number): Stored<unknown>[] {
    const tail = this.#tail.from(topic, partition, from)
    const isWhole = tail[0]?.offset === from
    const old = isWhole ? [] : this.#rangeOfTable(topic, partition, from, limit)
    const newest = tail.slice(0, limit - old.length)
    return [...old, ...newest.map((record) => storedWith(topic, record.key, record))]
  }

  /** As `range`, with everything that is stored beside the value. */
  entries(topic: Topic, partition: number, from: number, limit: number): StoredEntry[] {
    const tail = this.#tail.from(topic, partition, from)
    const isWhole = tail[0]?.offset === from
    const old = isWhole
      ? []
      : [
          ...this.#table(topic).getRange({
            start: [partition, from],
            end: [partition, LAST],
            limit,
          }),
        ].map(({ key: [, offset], value: [at, key, value] }) => ({ offset, at, key, value }))
    const newest = tail.slice(0, limit - old.length)
    return [...old, ...newest.map(({ offset, at, key, value }) => ({ offset, at, key, value }))]
  }

  /** The first offset that is still there: the end if none is. */
  first(topic: Topic, partition: number): number {
    return this.entries(topic, partition, 0, 1)[0]?.offset ?? this.end(topic, partition)
  }

  /** The first offset whose record came at that time or later, else the end: they came in order. */
  firstSince(topic: Topic, partition: number, since: number): number {
    let low = this.first(topic, partition)
    let high = this.end(topic, partition)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const [entry] = this.entries(topic, partition, middle, 1)
      if (!entry || entry.at >= since) high = middle
      else low = entry.offset + 1
    }
    return low
  }

  /** The value last written under a key of a compacted topic. */
  latest(topic: Topic, partition: number, key: string): unknown {
    const offset = this.#latest.get(topic)?.get([partition, key])
    return offset === undefined ? undefined : this.#table(topic).get([partition, offset])?.[2]
  }

  /** Offsets, oldest first, of records older than `before` and below `end`; never the last record. */
  expired(topic: Topic, partition: number, before: number, end: number, limit: number): number[] {
    const last = Math.min(end, this.end(topic, partition) - 1)
    const found: number[] = []
    for (const { key, value } of this.#table(topic).getRange({
      start: [partition, 0],
      end: [partition, last],
      limit,
    })) {
      if (value[0] >= before) break
      found.push(key[1])
    }
    return found
  }

  /** Only within a write. */
  remove(topic: Topic, partition: number, offsets: readonly number[]): void {
    for (const offset of offsets) this.#table(topic).removeSync([partition, offset])
  }

  #put(records: readonly NewRecord[], at: number): void {
    const ends = new Map<string, number>()
    for (const { topic, partition, key, value } of records) {
      const place = `${topic} ${partition}`
      const offset = ends.get(place) ?? this.#endOfTable(topic, partition)
      ends.set(place, offset + 1)
      this.#table(topic).putSync([partition, offset], [at, key, value])
      this.#compact(topic, partition, key, offset)
    }
  }

  readonly #endOfTable = (topic: Topic, partition: number): number => {
    const [last] = this.#table(topic).getKeys({
      start: [partition, LAST],
      end: [partition, -1],
      reverse: true,
      limit: 1,
    })
    return last ? last[1] + 1 : 0
  }

  #rangeOfTable(topic: Topic, partition: number, from: number, limit: number): Stored<unknown>[] {
    const entries = this.#table(topic).getRange({
      start: [partition, from],
      end: [partition, LAST],
      limit,
    })
    return [
      ...entries.map(({ key: [, offset], value: [, key, value] }) =>
        storedWith(topic, key, { partition, offset, value }),
      ),
    ]
  }

  #compact(topic: Topic, partition: number, key: string, offset: number): void {
    const latest = this.#latest.get(topic)
    if (!latest) return
    const previous = latest.get([partition, key])
    if (previous !== undefined) this.#table(topic).removeSync([partition, previous])
    latest.putSync([partition, key], offset)
  }

  #table(topic: Topic): Database<Entry, LogPlace> {
    const table = this.#records.get(topic)
    if (!table) throw new Error(`unknown topic ${topic}`)
    return table
  }
}
