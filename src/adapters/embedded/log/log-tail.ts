import type { Database } from 'lmdb'
import type { NewRecord, Stored } from '../../../ports/log/event-log.ts'
import type { Topic } from '../../../schemas/log.ts'
import { ALL_TOPICS, CLEAN_UP } from '../../log/clean-up.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

/** A record of the tail, and its place in its topic. */
export interface TailRecord extends Stored<unknown> {
  topic: Topic
  /** When it was appended, Unix milliseconds. */
  at: number
  key: string
}

/** Places are partition and offset in turn: a value that went to many partitions is kept once. */
type Group = [topic: Topic, places: number[], key: string, value: unknown]

interface Batch {
  at: number
  groups: Group[]
}

/** The offset of a partition's next record, if the tail has none of it. */
type EndOf = (topic: Topic, partition: number) => number

interface Head {
  /** Numbers of the first batch and of the next one. */
  first: number
  next: number
  records: number
  /** Characters of their values. */
  chars: number
  /** The offset after the last record of each place that has one here. */
  ends: Record<string, number>
}

export const TAIL_TABLE = 'log tail'

/** With more records, or characters of values, the tail is moved to its topics. */
const MAX = { records: 1_000, chars: 2 ** 20 }
/** An append of more goes to its topics at once. */
const FEW_RECORDS = 200
const HEAD = 0
const EMPTY: Head = { first: 1, next: 1, records: 0, chars: 0, ends: {} }

/** Topics whose records are deleted by age, and come a few at a time to many partitions. */
const HELD: ReadonlySet<Topic> = new Set(
  ALL_TOPICS.filter((topic) => CLEAN_UP[topic].policy === 'delete'),
)

/**
 * The newest records of the topics with a retention, in the order of their appends. A few records
 * to each of many partitions are then written to one place, not to the end of each partition
 * (ADR 59). `LogTables` moves them on.
 */
export class LogTail {
  readonly #table: Database<Head | Batch, number>
  /** The committed batches, by place: read again once the tail begins elsewhere. */
  #read = { first: 0, next: 0, records: new Map<string, TailRecord[]>() }

  constructor(store: LmdbStore) {
    this.#table = store.documents(TAIL_TABLE)
  }

  /** Whether records of the topic may be here. */
  static holds(topic: Topic): boolean {
    return HELD.has(topic)
  }

  /** The offset after the last record of a partition; null: none of it is here. */
  end(topic: Topic, partition: number): number | null {
    return (HELD.has(topic) && this.#head().ends[placeOf(topic, partition)]) || null
  }

  /** From an offset on, as committed: not within a write. */
  from(topic: Topic, partition: number, offset: number): readonly TailRecord[] {
    if (!HELD.has(topic)) return []
    const records = this.#committed().get(placeOf(topic, partition)) ?? []
    const [first] = records
    // Offsets of a partition have no holes here.
    return first ? records.slice(Math.max(0, offset - first.offset)) : []
  }

  /** All records, oldest first. */
  all(): TailRecord[] {
    const { first, next } = this.#head()
    return Array.from({ length: next - first }, (_, at) => this.#batch(first + at)).flat()
  }

  /** Only within a write. False: there is no room for them. */
  append(records: readonly NewRecord[], at: number, endOf: EndOf): boolean {
    const head = this.#head()
    if (records.length > FEW_RECORDS || head.records + records.length > MAX.records) return false
    const groups = groupsOf(records)
    const chars = groups.reduce((sum, { value }) => sum + JSON.stringify(value).length, head.chars)
    if (chars > MAX.chars) return false
    const ends = { ...head.ends }
    const placed = groups.map(({ topic, partitions, key, value }): Group => {
      const places = partitions.flatMap((partition) => {
        const place = placeOf(topic, partition)
        const offset = ends[place] ?? endOf(topic, partition)
        ends[place] = offset + 1
        return [partition, offset]
      })
      return [topic, places, key, value]
    })
    this.#table.putSync(head.next, { at, groups: placed })
    const count = head.records + records.length
    this.#table.putSync(HEAD, { ...head, next: head.next + 1, records: count, chars, ends })
    return true
  }

  /** Only within a write: removes all records and returns them, oldest first. */
  take(): TailRecord[] {
    const records = this.all()
    if (records.length === 0) return records
    const { first, next } = this.#head()
    for (let number = first; number < next; number += 1) this.#table.removeSync(number)
    this.#table.putSync(HEAD, { ...EMPTY, first: next, next })
    return records
  }

  #committed(): Map<string, TailRecord[]> {
    const { first, next } = this.#head()
    if (first !== this.#read.first) this.#read = { first, next: first, records: new Map() }
    const { records } = this.#read
    for (; this.#read.next < next; this.#read.next += 1) {
      for (const record of this.#batch(this.#read.next)) {
        const place = placeOf(record.topic, record.partition)
        const known = records.get(place)
        if (known) known.push(record)
        else records.set(place, [record])
      }
    }
    return records
  }

  #batch(number: number): TailRecord[] {
    const { at, groups } = this.#table.get(number) as Batch
    return groups.flatMap(([topic, places, key, value]) =>
      pairsOf(places).map(([partition, offset]) => ({ topic, partition, offset, at, key, value })),
    )
  }

  #head(): Head {
    return (this.#table.get(HEAD) as Head | undefined) ?? EMPTY
  }
}

type ValueGroup = Omit<NewRecord, 'partition'> & { partitions: number[] }

/** A watermark is one value for every partition. */
function groupsOf(records: readonly NewRecord[]): ValueGroup[] {
  const groups: ValueGroup[] = []
  for (const { topic, partition, key, value } of records) {
    const last = groups.at(-1)
    const isAlike = last && last.value === value && last.topic === topic && last.key === key
    if (isAlike) last.partitions.push(partition)
    else groups.push({ topic, partitions: [partition], key, value })
  }
  return groups
}

function pairsOf(places: readonly number[]): [partition: number, offset: number][] {
  return Array.from({ length: places.length / 2 }, (_, at) => [
    places[2 * at] ?? 0,
    places[2 * at + 1] ?? 0,
  ])
}

const placeOf = (topic: Topic, partition: number): string => `${topic} ${partition}`
