import type { Database } from 'lmdb'
import type { PartitionSize, TopicSize } from '../../../ports/log/sizes.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { ALL_TOPICS } from '../../log/clean-up.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'
import { type Entry, type LogPlace, tableOfTopic } from './log-tables.ts'
import { LogTail, TAIL_TABLE, type TailRecord } from './log-tail.ts'

type RecordTable = Database<Entry, LogPlace>

const LAST = Number.MAX_SAFE_INTEGER
/** Records sampled per partition for their length. */
const SAMPLED = 32

/**
 * The sizes of the topics: a table's size is that of its pages, divided among its partitions by the
 * lengths of a few sampled records, and the tail's likewise by the lengths of all of its records.
 * Keys are counted, values of tables are not all read; the event loop runs between two partitions.
 */
export async function topicSizes(
  store: LmdbStore,
  partitions: number,
  since: number,
  { turn }: Pick<Clock, 'turn'>,
): Promise<TopicSize[]> {
  const bytesOf = new Map(store.sizes().map(({ name, bytes }) => [name, bytes]))
  const tail = new LogTail(store).all()
  const tailBytes = sharesOf(
    tail.length > 0 ? (bytesOf.get(TAIL_TABLE) ?? 0) : 0,
    ALL_TOPICS.map((topic) => weightOf(tail.filter((record) => record.topic === topic))),
  )
  const sizes: TopicSize[] = []
  for (const [at, topic] of ALL_TOPICS.entries()) {
    const records: RecordTable = store.documents<Entry, LogPlace>(tableOfTopic(topic))
    const found: Counted[] = []
    for (let partition = 0; partition < partitions; partition += 1) {
      await turn()
      const ofIt = tail.filter((one) => one.topic === topic && one.partition === partition)
      const counted = countPartition({ records, partition, since, tail: ofIt })
      if (counted.records > 0) found.push(counted)
    }
    const isInTable = found.some(({ inTable }) => inTable > 0)
    const bytes = isInTable ? (bytesOf.get(tableOfTopic(topic)) ?? 0) : 0
    const shares = sharesOf(
      bytes + (tailBytes[at] ?? 0),
      found.map(({ weight }) => weight),
    )
    sizes.push({ topic, partitions: found.map((one, of) => sizeOf(one, shares[of] ?? 0)) })
  }
  return sizes
}

const weightOf = (records: readonly TailRecord[]): number =>
  records.reduce((sum, { at, key, value }) => sum + lengthOf([at, key, value]), 0)

const lengthOf = (entry: Entry): number => JSON.stringify(entry).length

/** Whole bytes in proportion to the weights, adding up to `bytes`: each share's end is rounded. */
function sharesOf(bytes: number, weights: readonly number[]): number[] {
  const whole = Math.max(
    1,
    weights.reduce((sum, weight) => sum + weight, 0),
  )
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
  /** Records that are not in the tail. */
  inTable: number
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

interface Counting {
  records: RecordTable
  partition: number
  since: number
  tail: readonly TailRecord[]
}

function countPartition({ records: table, partition, since, tail }: Counting): Counted {
  const inTable = countFrom(table, partition, 0)
  const first = entryFrom(table, partition, 0)
  const [last] = table.getKeys({
    start: [partition, LAST],
    end: [partition, -1],
    reverse: true,
    limit: 1,
  })
  const from = first?.key[1] ?? 0
  const end = last ? last[1] + 1 : 0
  const records = inTable + tail.length
  const recent =
    countFrom(table, partition, firstSince(table, partition, from, end, since)) +
    tail.filter(({ at }) => at >= since).length
  return {
    ...{ partition, records, inTable },
    oldestAt: first?.value[0] ?? tail[0]?.at ?? null,
    weight: inTable * meanLength(table, partition, from, end) + weightOf(tail),
    recent: recent / Math.max(1, records),
  }
}

const countFrom = (table: RecordTable, partition: number, offset: number): number =>
  table.getKeysCount({ start: [partition, offset], end: [partition, LAST] })

const entryFrom = (table: RecordTable, partition: number, offset: number) =>
  [...table.getRange({ start: [partition, offset], end: [partition, LAST], limit: 1 })][0]

/** The first offset whose record came at that time or later; records came in offset order. */
function firstSince(
  table: RecordTable,
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

function meanLength(table: RecordTable, partition: number, from: number, end: number): number {
  const step = Math.max(1, Math.floor((end - from) / SAMPLED))
  let length = 0
  let count = 0
  for (let offset = from; offset < end && count < SAMPLED; offset += step) {
    const entry = entryFrom(table, partition, offset)
    if (!entry) break
    length += lengthOf(entry.value)
    count += 1
  }
  return length / Math.max(1, count)
}
