import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { EmbeddedRecordBrowser } from '../../../src/adapters/embedded/log/record-browser.ts'
import {
  PAGE_BOUNDS,
  type PageBounds,
  type RecordOffice,
  readRecords,
} from '../../../src/gateway/records/read-records.ts'
import type { NewRecord } from '../../../src/ports/log/event-log.ts'
import {
  type RecordPage,
  RecordPage as RecordPageSchema,
  RecordsQuery,
} from '../../../src/schemas/api/records.ts'
import { TOPICS, type Topic } from '../../../src/schemas/log.ts'
import { TEST_CURSORS } from '../../support/http/test-cursors.ts'
import { withEmbeddedLog } from '../../support/log/with-embedded-log.ts'
import type { ManualClock } from '../../support/manual-clock.ts'

const PARTITIONS = 3
const NEVER = new AbortController().signal
const inLog = withEmbeddedLog(PARTITIONS)

interface Browsed {
  append(records: readonly NewRecord[]): Promise<void>
  clock: ManualClock
  read(
    query?: z.input<typeof RecordsQuery>,
    more?: { topic?: Topic; bounds?: Partial<PageBounds>; signal?: AbortSignal },
  ): Promise<RecordPage>
}

const browsing = (run: (browsed: Browsed) => Promise<void>) => () =>
  inLog(async (log, clock, store) => {
    const browser = new EmbeddedRecordBrowser(store, PARTITIONS, clock)
    const office: RecordOffice = { browser, cursors: TEST_CURSORS, clock }
    await run({
      append: (records) => log.append(records),
      clock,
      read: async (query = {}, { topic = TOPICS.lifecycle, bounds = {}, signal = NEVER } = {}) =>
        RecordPageSchema.parse(
          await readRecords(office, topic, RecordsQuery.parse(query), signal, {
            ...PAGE_BOUNDS,
            ...bounds,
          }),
        ),
    })
  })

const record = (partition: number, key: string, value: unknown = { key }) => ({
  topic: TOPICS.lifecycle,
  ...{ partition, key, value },
})
const keysOf = ({ records }: RecordPage) => records.map(({ key }) => key)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** A record a second, each in the next partition. */
async function appendInTurn({ append, clock }: Browsed, count: number): Promise<void> {
  for (const n of numbers(count)) {
    await append([record(n % PARTITIONS, String(n))])
    clock.advance(1_000)
  }
}

describe('pages', () => {
  test(
    'go back from the newest over all partitions by time, and on again, each record once',
    browsing(async (browsed) => {
      await appendInTurn(browsed, 20)
      const newestFirst = numbers(20).map(String).reverse()
      const back: RecordPage[] = [await browsed.read({ limit: '7' })]
      for (let cursor = back[0]?.older; cursor; cursor = back.at(-1)?.older)
        back.push(await browsed.read({ limit: '7', cursor }))
      expect(back.flatMap(keysOf)).toEqual(newestFirst)
      expect(back.map(({ newer }) => newer === null)).toEqual([true, false, false])
      const on: RecordPage[] = []
      for (let cursor = back.at(-1)?.newer; cursor; cursor = on.at(-1)?.newer)
        on.push(await browsed.read({ limit: '7', cursor }))
      expect(on.toReversed().flatMap(keysOf)).toEqual(newestFirst.slice(0, 14))
      expect(on.at(-1)?.older).not.toBeNull()
    }),
  )

  test(
    'begin at a time or an offset, in both directions',
    browsing(async (browsed) => {
      const begun = browsed.clock.now()
      await appendInTurn(browsed, 9)
      const from = new Date(begun + 4_000).toISOString()
      expect(keysOf(await browsed.read({ from, limit: '3' }))).toEqual(['3', '2', '1'])
      const newer = { from, limit: '3', direction: 'newer' } as const
      expect(keysOf(await browsed.read(newer))).toEqual(['6', '5', '4'])
      expect(keysOf(await browsed.read({ from: '1', partition: '2' }))).toEqual(['2'])
      const rest = await browsed.read({ from: '1', direction: 'newer' })
      expect([keysOf(rest), rest.newer]).toEqual([['8', '7', '6', '5', '4', '3'], null])
      const nothing = await browsed.read({ from: '99', direction: 'newer' })
      expect([keysOf(nothing), nothing.newer]).toEqual([[], null])
    }),
  )

  test(
    'of one partition; one that is not there is refused',
    browsing(async (browsed) => {
      await appendInTurn(browsed, 9)
      expect(keysOf(await browsed.read({ partition: '1' }))).toEqual(['7', '4', '1'])
      await expect(browsed.read({ partition: '3' })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: 'partition: orders.lifecycle has 0 to 2',
      })
      await expect(browsed.read({ partition: '1' }, { topic: TOPICS.keys })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      })
    }),
  )

  test(
    'have a cursor that belongs to their topic and filters',
    browsing(async (browsed) => {
      await appendInTurn(browsed, 9)
      const { older } = await browsed.read({ limit: '2' })
      const cursor = older ?? ''
      const refused = { code: 'INVALID_CURSOR' }
      await expect(browsed.read({ cursor, key: 'x' })).rejects.toMatchObject(refused)
      await expect(browsed.read({ cursor }, { topic: TOPICS.inbox })).rejects.toMatchObject(refused)
      await expect(browsed.read({ cursor: 'x' })).rejects.toMatchObject(refused)
    }),
  )

  test(
    'pass over what compaction has removed',
    browsing(async ({ append, read }) => {
      const snapshot = (key: string) => ({ ...record(0, key), topic: TOPICS.snapshots })
      await append([snapshot('first'), ...numbers(3_000).map(() => snapshot('again'))])
      const page = await read({ limit: '2' }, { topic: TOPICS.snapshots })
      expect([keysOf(page), page.older]).toEqual([['again', 'first'], null])
      const on = await read({ direction: 'newer', limit: '2' }, { topic: TOPICS.snapshots })
      expect([keysOf(on), on.newer]).toEqual([['again', 'first'], null])
    }),
  )
})

describe('a filter', () => {
  test(
    'takes the key, or exactly a text in a field',
    browsing(async ({ append, read }) => {
      await append([
        record(0, 'a', { orderId: 'x', order: { id: 'deep' }, n: 7 }),
        record(1, 'x'),
        record(2, 'b', { what: 'x and more', list: [['x']] }),
      ])
      expect(keysOf(await read({ key: 'x' })).sort()).toEqual(['a', 'x'])
      expect(keysOf(await read({ key: 'deep' }))).toEqual(['a'])
      expect(keysOf(await read({ key: '7' }))).toEqual([])
    }),
  )

  test(
    'over too many records stops, and its cursor goes on until it is found',
    browsing(async ({ append, read }) => {
      await append([record(0, 'wanted'), ...numbers(2_500).map((n) => record(0, `${n}`))])
      let page = await read({ key: 'wanted' }, { bounds: { records: 1_000 } })
      expect(page).toMatchObject({ records: [], scanned: 1_000, stopped: 'records' })
      let pages = 1
      for (; page.older && page.records.length === 0; pages += 1)
        page = await read({ key: 'wanted', cursor: page.older }, { bounds: { records: 1_000 } })
      expect([keysOf(page), pages, page.scanned]).toEqual([['wanted'], 3, 501])
      expect([page.stopped, page.older]).toEqual([null, null])
    }),
  )
})

describe('a bound', () => {
  test(
    'of bytes ends a page, but never before its first record',
    browsing(async ({ append, read }) => {
      await append(numbers(4).map((n) => record(0, `${n}`, 'x'.repeat(1_000))))
      const page = await read({}, { bounds: { bytes: 2_100 } })
      expect([keysOf(page), page.stopped]).toEqual([['3', '2'], 'bytes'])
      const rest = await read({ cursor: page.older ?? '' }, { bounds: { bytes: 10 } })
      expect([keysOf(rest), rest.stopped]).toEqual([['1'], 'bytes'])
    }),
  )

  test(
    'of time ends it, and the next page begins where it was',
    browsing(async (browsed) => {
      await appendInTurn(browsed, 9)
      const late = await browsed.read({}, { signal: AbortSignal.abort() })
      expect(late).toMatchObject({ records: [], scanned: 0, stopped: 'time', newer: null })
      const page = await browsed.read({ cursor: late.older ?? '' })
      expect(keysOf(page)).toEqual(numbers(9).map(String).reverse())
    }),
  )

  test(
    'of a value shows its beginning',
    browsing(async ({ append, read }) => {
      await append([record(0, 'large', { text: 'é'.repeat(100_000) })])
      const [shown] = (await read()).records
      expect(shown).toMatchObject({ isCut: true, bytes: 200_011 })
      expect(String(shown?.value)).toHaveLength(4_000)
    }),
  )
})

describe('secrets', () => {
  const HASH = 'ab'.repeat(32)
  const AT = '2026-11-24T12:00:00.000Z'
  const about = { schema: 1, name: 'acme', id: '0123456789abcdef' }

  test(
    'of customers are withheld, and no filter finds them',
    browsing(async ({ append, read }) => {
      const ofKey = (key: string, value: unknown) => ({
        ...record(0, key, value),
        topic: TOPICS.keys,
      })
      const key = {
        ...about,
        kind: 'key',
        tier: 'maker',
        operator: 'bob',
        createdAt: AT,
        revokedAt: null,
      }
      await append([
        ofKey(about.id, key),
        ofKey(HASH, { ...about, kind: 'secret', sha256: HASH, madeAt: AT, until: null }),
        ofKey(`${HASH}x`, { newer: HASH }),
      ])
      const page = await read({}, { topic: TOPICS.keys })
      expect(JSON.stringify(page)).not.toContain(HASH)
      expect(page.records.map(({ key: shown, kind, value }) => [shown, kind, value])).toEqual([
        [null, 'unreadable', 'withheld'],
        [null, 'secret', { ...about, kind: 'secret', sha256: 'withheld', madeAt: AT, until: null }],
        [about.id, 'key', key],
      ])
      expect((await read({ key: HASH }, { topic: TOPICS.keys })).records).toEqual([])
    }),
  )

  test(
    'of webhooks are withheld, with the path of their address',
    browsing(async ({ append, read }) => {
      const value = {
        ...{ schema: 1, name: 'shop', generation: 1, kind: 'endpoint', source: 'operator' },
        ...{
          url: 'https://hooks.example/its-secret',
          filter: {},
          from: [0],
          createdAt: AT,
          deletedAt: null,
        },
        secrets: [{ key: 'the-key', version: 1, until: null, asked: { by: HASH, what: HASH } }],
      }
      await append([{ ...record(0, 'endpoint shop', value), topic: TOPICS.webhooks }])
      const page = await read({}, { topic: TOPICS.webhooks })
      expect(JSON.stringify(page)).not.toMatch(/its-secret|the-key|abab/)
      expect(page.records[0]).toMatchObject({
        what: 'webhook shop, generation 1',
        value: { url: 'https://hooks.example', secrets: [{ version: 1, until: null }] },
      })
    }),
  )
})
