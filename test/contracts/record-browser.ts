import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { EventLog } from '../../src/ports/log/event-log.ts'
import type { BrowsedRecord, RecordBrowser } from '../../src/ports/log/record-browser.ts'
import { TOPICS, type Topic } from '../../src/schemas/log.ts'

export interface OpenedBrowser {
  log: EventLog
  browser: RecordBrowser
  close(): Promise<void>
}

const NEVER = new AbortController().signal
/** More than a log keeps together before it puts them in their place. */
const MANY = 1_500
const LAST = Number.MAX_SAFE_INTEGER

const inbox = (partition: number, key: string, value: unknown = { key }) => ({
  topic: TOPICS.inbox,
  ...{ partition, key, value },
})

/** What every reader for operators does. `open` gives an empty log of 3 partitions. */
export function recordBrowserContract(name: string, open: () => Promise<OpenedBrowser>): void {
  const withBrowser = (run: (opened: OpenedBrowser) => Promise<void>) => async () => {
    const opened = await open()
    try {
      await run(opened)
    } finally {
      await opened.close()
    }
  }
  const take = async (
    browser: RecordBrowser,
    partition: number,
    from: number,
    to: number,
    topic: Topic = TOPICS.inbox,
  ) => {
    const found: BrowsedRecord[] = []
    for await (const batch of browser.between(topic, partition, from, to, NEVER))
      found.push(...batch)
    return found
  }

  /** A transaction is there for readers a moment after its writer knows it. */
  const untilThere = (browser: RecordBrowser, partition: number, count: number) =>
    vi.waitFor(async () => expect(await take(browser, partition, 0, LAST)).toHaveLength(count), {
      timeout: 60_000,
    })

  describe(`RecordBrowser/${name}`, () => {
    test(
      'lists every topic with its partitions and what becomes of old records',
      withBrowser(async ({ log, browser }) => {
        await log.append([inbox(1, 'a'), inbox(1, 'b')])
        const topics = await browser.topics()
        expect(topics.map(({ topic }) => topic)).toEqual(Object.values(TOPICS))
        const counts = new Map(topics.map(({ topic, ranges }) => [topic, ranges.length]))
        expect([counts.get(TOPICS.inbox), counts.get(TOPICS.keys)]).toEqual([3, 1])
        const found = topics.find(({ topic }) => topic === TOPICS.inbox)
        expect(found?.ranges.map(({ partition }) => partition)).toEqual([0, 1, 2])
        expect(found?.ranges[0]).toEqual({ partition: 0, first: 0, end: 0 })
        expect(found?.ranges[1]?.end).toBe(await log.end(TOPICS.inbox, 1))
        expect(found?.cleanUp).toEqual({ policy: 'delete', afterMs: 7 * 86_400_000 })
        const policies = topics.map(({ cleanUp }) => cleanUp.policy)
        expect(new Set(policies)).toEqual(new Set(['delete', 'keep', 'compact']))
      }),
    )

    test(
      'gives a record with its key, and when it was appended',
      withBrowser(async ({ log, browser }) => {
        const before = Date.now()
        await log.append([inbox(2, 'the key', { kind: 'anything' })])
        await untilThere(browser, 2, 1)
        const [record] = await take(browser, 2, 0, 99)
        expect(record).toMatchObject({ partition: 2, offset: 0, key: 'the key', headers: {} })
        expect(record?.value).toEqual({ kind: 'anything' })
        expect(record?.at).toBeGreaterThanOrEqual(before)
        expect(record?.at).toBeLessThanOrEqual(Date.now())
      }),
    )

    test(
      'gives the records from an offset up to another, however many there are',
      withBrowser(async ({ log, browser }) => {
        for (let n = 0; n < MANY; n += 100)
          await log.append(Array.from({ length: 100 }, (_, at) => inbox(0, `${n + at}`)))
        const all = await take(browser, 0, 0, LAST)
        expect(all.map(({ key }) => key)).toEqual(Array.from({ length: MANY }, (_, n) => `${n}`))
        for (const [from, to] of [
          [0, 3],
          [700, 1_210],
          [MANY - 2, MANY],
          [5, 5],
          [MANY, MANY + 9],
        ] as const) {
          const begin = all[from]?.offset ?? (all.at(-1)?.offset ?? 0) + 1
          const end = all[to]?.offset ?? (all.at(-1)?.offset ?? 0) + 1
          expect(await take(browser, 0, begin, end)).toEqual(all.slice(from, to))
        }
      }),
      60_000,
    )

    test(
      'finds the first record of a time or later, in each partition; else the end',
      withBrowser(async ({ log, browser }) => {
        await log.append([inbox(0, 'old'), inbox(1, 'old')])
        for (const partition of [0, 1]) await untilThere(browser, partition, 1)
        await delay(5)
        const between = Date.now()
        await delay(5)
        await log.append([inbox(0, 'new')])
        await untilThere(browser, 0, 2)
        const at = await browser.offsetsAt(TOPICS.inbox, between)
        // A log may have something of its own after a record, whose time is later.
        const from = await Promise.all(at.map((one, of) => take(browser, of, one, LAST)))
        expect([at, from.map((records) => records.map(({ key }) => key))]).toEqual([
          [expect.any(Number), expect.any(Number), 0],
          [['new'], [], []],
        ])
        expect(await browser.offsetsAt(TOPICS.inbox, 0)).toEqual([0, 0, 0])
        const ends = await Promise.all([0, 1, 2].map((one) => log.end(TOPICS.inbox, one)))
        expect(await browser.offsetsAt(TOPICS.inbox, Date.now() + 60_000)).toEqual(ends)
      }),
    )

    test(
      'ends with its signal',
      withBrowser(async ({ log, browser }) => {
        await log.append([inbox(0, 'a')])
        const found = browser.between(TOPICS.inbox, 0, 0, 1, AbortSignal.abort())
        for await (const batch of found) expect(batch).toEqual([])
      }),
    )
  })
}
