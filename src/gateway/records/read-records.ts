import { z } from 'zod'
import type { BrowsedRange, BrowsedRecord, RecordBrowser } from '../../ports/log/record-browser.ts'
import type { Clock } from '../../runtime/clock.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { RecordPage, RecordsQuery } from '../../schemas/api/records.ts'
import type { Topic } from '../../schemas/log.ts'
import type { CursorCodec } from '../cursor.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { RefusalError } from '../refusal.ts'
import { MergedRecords, type PageDirection } from './merged-records.ts'
import { hasText, recordView } from './record-view.ts'

/** What one page may cost, whatever it is asked for: where it ends early, its cursors go on. */
export interface PageBounds {
  /** Records that are looked at. */
  records: number
  /** Bytes of the values that are shown. */
  bytes: number
  /** Milliseconds. */
  ms: number
}
export const PAGE_BOUNDS: PageBounds = { records: 20_000, bytes: 2 ** 19, ms: 6_000 }

/** More partitions are not read together: their places would not fit into a cursor. */
const MAX_TOGETHER = 32
/** Offsets fetched at once of each partition while a filter passes most records over. */
const FILTERED_WINDOW = 500

export interface RecordOffice {
  browser: RecordBrowser
  cursors: CursorCodec
  clock: Clock
}

const Place = z.strictObject({
  direction: z.enum(['older', 'newer']),
  cuts: z.array(z.int().nonnegative()).max(MAX_TOGETHER),
})

/**
 * A page of a topic's records. One page is read at a time by this process.
 *
 * @throws RefusalError VALIDATION_FAILED, INVALID_CURSOR, OVERLOADED; StorageUnavailableError
 */
export const readRecords = (
  office: RecordOffice,
  topic: Topic,
  query: RecordsQuery,
  signal: AbortSignal,
  bounds: PageBounds = PAGE_BOUNDS,
): Promise<RecordPage> =>
  oneAtATime(office.browser, async () => {
    const { partition } = query
    const all = await office.browser.ranges(topic)
    const ranges = all.filter((one) => partition === undefined || one.partition === partition)
    if (ranges.length === 0) throw invalid(`partition: ${topic} has 0 to ${all.length - 1}`)
    if (ranges.length > MAX_TOGETHER)
      throw invalid(`partition: is required, ${topic} has more than ${MAX_TOGETHER}`)
    const begin = await beginOf(office, topic, query, ranges)
    return await withDeadline(office.clock, bounds.ms, signal, (stop) =>
      readPage({ ...office, ...begin, topic, query, ranges, bounds, signal: stop }),
    )
  })

const invalid = (reason: string) => new RefusalError('VALIDATION_FAILED', reason)

interface Begin {
  direction: PageDirection
  cuts: number[]
}

/** What a cursor belongs to. */
const scopeOf = (topic: Topic, { partition, key }: RecordsQuery): string =>
  JSON.stringify(['records', topic, partition ?? null, key ?? null])

async function beginOf(
  { browser, cursors }: RecordOffice,
  topic: Topic,
  query: RecordsQuery,
  ranges: readonly BrowsedRange[],
): Promise<Begin> {
  const { cursor, from, direction } = query
  if (cursor !== undefined) return cursors.decode(scopeOf(topic, query), cursor, Place)
  if (from === undefined) {
    const isOlder = direction === 'older'
    return { direction, cuts: ranges.map(({ first, end }) => (isOlder ? end : first)) }
  }
  if ('offset' in from) {
    const { offset } = from
    return { direction, cuts: ranges.map(() => offset) }
  }
  const offsets = await browser.offsetsAt(topic, from.time)
  return { direction, cuts: ranges.map(({ partition, end }) => offsets[partition] ?? end) }
}

interface RecordsReading extends RecordOffice, Begin {
  topic: Topic
  query: RecordsQuery
  ranges: readonly BrowsedRange[]
  bounds: PageBounds
  signal: AbortSignal
}

async function readPage(reading: RecordsReading): Promise<RecordPage> {
  const { browser, topic, query, ranges, direction, cuts, signal } = reading
  const window = query.key === undefined ? query.limit : FILTERED_WINDOW
  const merged = new MergedRecords({ browser, topic, direction, window, signal }, ranges, cuts)
  const begun = merged.cuts
  const found = await fillPage(reading, merged)
  const [low, high] = direction === 'older' ? [merged.cuts, begun] : [begun, merged.cuts]
  const cursorAt = (to: PageDirection, at: number[]): string =>
    reading.cursors.encode(scopeOf(topic, query), { direction: to, cuts: at })
  return {
    topic,
    ...found,
    records: direction === 'older' ? found.records : found.records.reverse(),
    older: ranges.every(({ first }, at) => (low[at] ?? 0) <= first) ? null : cursorAt('older', low),
    newer: ranges.every(({ end }, at) => (high[at] ?? 0) >= end) ? null : cursorAt('newer', high),
  }
}

async function fillPage(
  { topic, query: { key, limit }, bounds, signal }: RecordsReading,
  merged: MergedRecords,
): Promise<Pick<RecordPage, 'records' | 'scanned' | 'stopped'>> {
  const records: RecordPage['records'] = []
  let [scanned, bytes] = [0, 0]
  const isWanted = (record: BrowsedRecord) => key === undefined || hasText(topic, record, key)
  while (records.length < limit) {
    if (scanned === bounds.records) return { records, scanned, stopped: 'records' }
    const record = await merged.peek()
    if (signal.aborted) return { records, scanned, stopped: 'time' }
    if (!record) break
    if (isWanted(record)) {
      const view = recordView(topic, record)
      bytes += view.isCut ? String(view.value).length : view.bytes
      if (bytes > bounds.bytes && records.length > 0) return { records, scanned, stopped: 'bytes' }
      records.push(view)
    }
    scanned += 1
    merged.take()
  }
  return { records, scanned, stopped: null }
}
