import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Pages, type SaleFilter } from '../../../src/adapters/nostr/pages.ts'

const SECOND = fc.integer({ min: 1_000, max: 1_060 })

interface Stored {
  id: string
  time: number
}

interface Manners {
  /** The most it returns at once. */
  cap: number
  /** It leaves out events of the second `until`. */
  isExclusive: boolean
}

/** What a relay with these events returns: the newest that match, up to its own limit. */
const answer = (events: readonly Stored[], filter: SaleFilter, { cap, isExclusive }: Manners) => {
  const { since = 0, until = Number.POSITIVE_INFINITY, limit } = filter
  return events
    .filter(({ time }) => time >= since && (isExclusive ? time < until : time <= until))
    .sort((a, b) => b.time - a.time || (a.id < b.id ? -1 : 1))
    .slice(0, Math.min(limit, cap))
}

/** Reads a relay to its end: the ids, and how many requests it took. */
function readAll(events: readonly Stored[], since: number, manners: Manners) {
  const pages = new Pages(since)
  const told = new Set<string>()
  let asked = 0
  for (let filter: SaleFilter | null = pages.first(); filter; filter = pages.next()) {
    asked += 1
    for (const { id, time } of answer(events, filter, manners)) {
      told.add(id)
      pages.saw(id, time)
    }
  }
  return { told, asked }
}

/** Of one second at most as many as the relay returns at once: the rest cannot be requested. */
function fewASecond(times: readonly number[], most: number): Stored[] {
  const count = new Map<number, number>()
  return times.flatMap((time, n) => {
    const before = count.get(time) ?? 0
    count.set(time, before + 1)
    return before < most ? [{ id: String(n).padStart(3, '0'), time }] : []
  })
}

const countOf = (events: readonly Stored[], second: number): number =>
  events.filter(({ time }) => time === second).length

describe('the pages of a relay', () => {
  test('miss no event since the time wanted, however few are returned at once', () => {
    const times = fc.array(SECOND, { maxLength: 80 })
    const cap = fc.integer({ min: 1, max: 20 })
    fc.assert(
      fc.property(times, SECOND, cap, fc.boolean(), (all, since, most, isExclusive) => {
        const events = fewASecond(all, most)
        const { told, asked } = readAll(events, since, { cap: most, isExclusive })
        const missed = events.filter(({ id, time }) => time >= since && !told.has(id))
        expect(missed).toEqual([])
        expect(asked).toBeLessThanOrEqual(3 * events.length + 2)
      }),
      { numRuns: 500 },
    )
  })

  test('miss no event, whatever is published while they are read, and whatever time it claims', () => {
    const published = fc.array(fc.record({ time: fc.nat(2_000), at: fc.nat(20) }), { maxLength: 4 })
    const during = fc.array(published, { maxLength: 30 })
    const times = fc.array(SECOND, { maxLength: 80 })
    const cap = fc.integer({ min: 1, max: 20 })
    fc.assert(
      fc.property(times, during, SECOND, cap, (all, news, since, most) => {
        const events = fewASecond(all, most)
        const pages = new Pages(since)
        const told = new Set<string>()
        const said = news.map((many, page) =>
          many.map((one, n) => ({ ...one, id: `new ${page} ${n}` })),
        )
        const has = [...events]
        for (let filter: SaleFilter | null = pages.first(); filter; filter = pages.next()) {
          const { until = Number.POSITIVE_INFINITY } = filter
          const page = answer(has, filter, { cap: most, isExclusive: false })
          for (const { id, time, at } of said.shift() ?? []) {
            told.add(id)
            pages.published(id)
            has.push({ id, time })
            if (time <= until) page.splice(at, 0, { id, time })
          }
          for (const { id, time } of page) {
            told.add(id)
            pages.saw(id, time)
          }
        }
        const missed = events.filter(({ id, time }) => time >= since && !told.has(id))
        // Of a second that is fuller than a page, the rest cannot be requested.
        const full = new Set(
          has.map(({ time }) => time).filter((time) => countOf(has, time) > most),
        )
        expect(missed.filter(({ time }) => !full.has(time))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('keep a bounded number of ids, and read on from those', () => {
    const pages = new Pages(0)
    for (let n = 0; n < 10_000; n += 1) pages.published(`new ${n}`)
    for (let n = 0; n < 10_000; n += 1) pages.saw(String(n), 20_000 - n)
    expect(pages.next()?.until).toBe(20_000 - 1_999 + 1)
  })

  test('that are all new are behind the newest of them', () => {
    const pages = new Pages(0)
    for (const [id, time] of [
      ['a', 50],
      ['b', 3],
    ] as const) {
      pages.published(id)
      pages.saw(id, time)
    }
    expect(pages.next()?.until).toBe(51)
  })

  test('end, whatever times a relay makes up', () => {
    const made = fc.array(fc.array(fc.integer(), { maxLength: 5 }), { maxLength: 200 })
    fc.assert(
      fc.property(made, fc.integer({ min: 0 }), (answers, since) => {
        const pages = new Pages(since)
        let until = Number.POSITIVE_INFINITY
        for (const times of answers) {
          for (const [n, time] of times.entries()) pages.saw(String(n), time)
          const filter = pages.next()
          if (filter === null) return
          // So there are no more pages than seconds.
          expect(filter.until).toBeLessThan(until)
          expect(filter.until).toBeGreaterThanOrEqual(since)
          until = filter.until ?? Number.NaN
        }
      }),
      { numRuns: 500 },
    )
  })

  test('of an empty relay are one', () => {
    expect(readAll([], 0, { cap: 10, isExclusive: false })).toEqual({ told: new Set(), asked: 1 })
  })

  test('have no `since` where everything is wanted', () => {
    const everything = new Pages(0)
    everything.saw('a', 5)
    expect(everything.next()).toEqual({ kinds: [802], limit: 500, until: 6 })
    const some = new Pages(3)
    some.saw('a', 5)
    expect(some.next()).toEqual({ kinds: [802], limit: 500, until: 6, since: 3 })
  })
})
