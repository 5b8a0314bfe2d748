import type { Database } from 'lmdb'
import type { PartitionSize, TopicSize } from '../../ports/sizes.ts'
import { ALL_TOPICS } from '../log/clean-up.ts'
import type { LmdbStore } from './lmdb-store.ts'
import { type Entry, type LogPlace, tableOfTopic } from './log-tables.ts'

type Records = Database<Entry, LogPlace>

const LAST = Number.MAX_SAFE_INTEGER
/** Records sampled per partition for their length. */
const SAMPLED = 32

/**
 * The sizes of the topics: a table's size is that of its pages, divided among its partitions by the
 * lengths of a few sampled records. Keys are counted, values are not all read.
 */
export const topicSizes = (store: LmdbStore, partitions: number, since: number): TopicSize[] => {
  const bytesOf = new Map(store.sizes().map(({ name, bytes }) => [name, bytes]))
  return ALL_TOPICS.map((topic) => {
    const records: Records = store.documents<Entry, LogPlace>(tableOfTopic(topic))
    const found = Array.from({ length: partitions }, (_, partition) =>
      countPartition(records, partition, since),
    ).filter(({ records: count }) => count > 0)
    const bytes = found.length > 0 ? (bytesOf.get(tableOfTopic(topic)) ?? 0) : 0
    const shares = sharesOf(
      bytes,
      found.map(({ weight }) => weight),
    )
    return { topic, partitions: found.map((one, at) => sizeOf(one, shares[at] ?? 0)) }
  })
}

/** Whole bytes in proportion to the weights, adding up to `bytes`: each share's end is rounded. */
function sharesOf(bytes: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let weighed = 0
  let shared = 0
  return weights.map((weight) => {
    weighed += weight
    const end = Math.round((bytes * weighed) / whole)
    const share = end - shared
    shared = end
    return share
  })
}

interface Counted {
  partition: number
  records: number
  oldestAt: number | null
  /** Characters of its records, by the samples. */
  weight: number
  /** Share of its records that came since. */
  recent: number
}

const sizeOf = ({ recent, ...counted }: Counted, bytes: number): PartitionSize => ({
  partition: counted.partition,
  records: counted.records,
  bytes,
  oldestAt: counted.oldestAt,
  bytesSince: Math.round(bytes * recent),
})

function countPartition(table: Records, partition: number, since: number): Counted {
  const records = countFrom(table, partition, 0)
  const first = entryFrom(table, partition, 0)
  const [last] = table.getKeys({
    start: [partition, LAST],
    end: [partition, -1],
    reverse: true,
    limit: 1,
  })
  if (!first || !last) return { partition, records: 0, oldestAt: null, weight: 0, recent: 0 }
  const from = first.key[1]
  const end = last[1] + 1
  const recentFrom = firstSince(table, partition, from, end, since)
  return {
    partition,
    records,
    oldestAt: first.value[0],
    weight: records * meanLength(table, partition, from, end),
    recent: countFrom(table, partition, recentFrom) / records,
  }
}

const countFrom = (table: Records, partition: number, offset: number): number =>
  table.getKeysCount({ start: [partition, offset], end: [partition, LAST] })

const entryFrom = (table: Records, partition: number, offset: number) =>
  [...table.getRange({ start: [partition, offset], end: [partition, LAST], limit: 1 })][0]

/** The first offset whose record came at that time or later; records came in offset order. */
function firstSince(
  table: Records,
  partition: number,
  from: number,
  end: number,
  since: number,
): number {
  let low = from
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = entryFrom(table, partition, middle)
    if (!entry || entry.value[0] >= since) high = middle
    else low = entry.key[1] + 1
  }
  return low
}

function meanLength(table: Records, partition: number, from: number, end: number): number {
  const step = Math.max(1, Math.floor((end - from) / SAMPLED))
  let length = 0
  let count = 0
  for (let offset = from; offset < end && count < SAMPLED; offset += step) {
    const entry = entryFrom(table, partition, offset)
    if (!entry) break
    length += JSON.stringify(entry.value).length
    count += 1
  }
  return length / Math.max(1, count)
}
