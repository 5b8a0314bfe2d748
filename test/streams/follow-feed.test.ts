import { setMaxListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { openBudget } from '../../src/ports/budget.ts'
import {
  type FeedBatch,
  FeedFault,
  type FeedItem,
  type FeedTrouble,
  type OrderFeed,
} from '../../src/ports/order-feed.ts'
import { FEED_LIMITS, type FeedState, followFeed } from '../../src/streams/follow-feed.ts'
import type { Taken } from '../../src/streams/take-once.ts'
import { ManualClock } from '../support/manual-clock.ts'

/** One connection of the scripted feed: batches, then what becomes of it. */
interface Connection {
  batches?: FeedBatch[]
  /** How long it lasts. */
  forMs?: number
  /** Default: nothing comes any more. */
  end?: Error
}

const event = (id: string): FeedItem => ({ kind: 'event', id, event: {} })
const batch = (ids: string[], cursor: number | null = null): FeedBatch => ({
  items: ids.map(event),
  cursor,
})
const LIE: FeedBatch = { items: [{ kind: 'lie', detail: '' }], cursor: null }
const fault = (trouble: FeedTrouble) => new FeedFault(trouble, `it is ${trouble}`)
const settle = () => new Promise((resolve) => setTimeout(resolve, 5))

function run(
  connections: Connection[],
  {
    take,
    saveCursor,
  }: { take?: (item: FeedItem) => Promise<Taken>; saveCursor?: () => Promise<void> } = {},
) {
  const clock = new ManualClock()
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const cursors: (number | null)[] = []
  const states: FeedState[] = []
  const outcomes: string[] = []
  const taken: string[] = []
  let saved: number | null = null
  const feed: OrderFeed = {
    source: 'portable-nostr802',
    url: 'wss://relay.example/',
    async *read(cursor, signal) {
      cursors.push(cursor)
      const { batches = [], forMs = 0, end } = connections.shift() ?? {}
      yield* batches
      if (forMs > 0) await clock.sleep(forMs, signal)
      if (end) throw end
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    },
  }
  const following = followFeed(
    {
      feed,
      store: {
        cursor: async () => saved,
        saveCursor: async (_url, cursor) => {
          await saveCursor?.()
          saved = cursor
        },
      },
      take: async (_source, item) => {
        if (item.kind === 'event') taken.push(item.id)
        return take?.(item) ?? { outcome: item.kind, isLie: item.kind === 'lie' }
      },
      budget: openBudget({ perSecond: 1_000, burst: 1_000 }, clock),
      clock,
      random: () => 1,
      onState: (state) => states.push(state),
      onItem: (outcome) => outcomes.push(outcome),
    },
    stop.signal,
  )
  return {
    clock,
    cursors,
    states,
    outcomes,
    taken,
    following,
    saved: () => saved,
    end: async () => {
      stop.abort()
      await following
    },
    /** The delays before each new connection. */
    delays: () => states.flatMap((state) => (state.state === 'paused' ? [state.retryInMs] : [])),
  }
}

describe('a feed', () => {
  test('is followed: what it tells is taken and counted, and its cursor is kept', async () => {
    const it = run([{ batches: [batch(['a', 'b']), batch([], 7), batch(['c']), batch([], 9)] }])
    await settle()
    expect(it.taken).toEqual(['a', 'b', 'c'])
    expect(it.outcomes).toEqual(['event', 'event', 'event'])
    expect(it.saved()).toBe(9)
    expect(it.states.map(({ state }) => state)).toEqual(['connecting', 'catching up', 'following'])
    await it.end()
  })

  test('reads on from its cursor when it is back', async () => {
    const it = run([
      { batches: [batch(['a'], 5), batch(['b'])], end: fault('unreachable') },
      { batches: [batch(['b'], 6)] },
    ])
    await settle()
    expect(it.states.at(-1)).toEqual({
      state: 'paused',
      trouble: 'unreachable',
      detail: 'it is unreachable',
      retryInMs: 1_000,
    })
    it.clock.advance(1_000)
    await settle()
    expect(it.cursors).toEqual([null, 5])
    expect(it.taken).toEqual(['a', 'b', 'b'])
    expect(it.saved()).toBe(6)
    await it.end()
  })

  test('whose items cannot be stored is let alone, and no cursor moves past them', async () => {
    let isFull = true
    const it = run([{ batches: [batch(['a', 'b'], 5)] }, { batches: [batch(['a', 'b'], 5)] }], {
      take: async (item) => {
        if (isFull && item.kind === 'event' && item.id === 'b') throw fault('not_stored')
        return { outcome: 'imported', isLie: false }
      },
    })
    await settle()
    expect([it.saved(), it.states.at(-1)]).toMatchObject([null, { trouble: 'not_stored' }])
    isFull = false
    it.clock.advance(1_000)
    await settle()
    expect([it.cursors, it.saved()]).toEqual([[null, null], 5])
    await it.end()
  })

  test('whose cursor cannot be stored is let alone', async () => {
    const it = run([{ batches: [batch([], 5)] }], {
      saveCursor: () => Promise.reject(new Error('the disk is full')),
    })
    await settle()
    expect(it.states.at(-1)).toMatchObject({ trouble: 'not_stored', detail: 'the disk is full' })
    await it.end()
  })

  test('that lies is let alone at the tenth lie; refusals are no lies', async () => {
    const it = run([
      { batches: [...Array<FeedBatch>(9).fill(LIE), batch(Array(50).fill('refused')), LIE, LIE] },
    ])
    await settle()
    expect(it.states.at(-1)).toMatchObject({
      trouble: 'lies',
      detail: '10 items were not true or not asked for',
    })
    expect(it.outcomes.filter((outcome) => outcome === 'lie')).toHaveLength(10)
    await it.end()
  })

  test('that fails again and again is let alone for longer each time, five minutes at most', async () => {
    const it = run(Array.from({ length: 12 }, () => ({ end: fault('unreachable') })))
    for (let n = 0; n < 11; n += 1) {
      await settle()
      it.clock.advance(300_000)
    }
    await settle()
    const doubled = Array.from({ length: 12 }, (_, n) => Math.min(1_000 * 2 ** n, 300_000))
    expect(it.delays()).toEqual(doubled)
    await it.end()
  })

  test.each<[FeedTrouble, number]>([
    ['unreachable', 1_000],
    ['silent', 1_000],
    ['not_stored', 1_000],
    ['flood', 2_000],
    ['too_large', 2_000],
    ['malformed', 2_000],
    ['declined', 2_000],
    ['lies', 2_000],
  ])('that was of use for a minute and is then %s is tried again in %i ms', async (trouble, ms) => {
    const it = run([
      { end: fault('unreachable') },
      { batches: [batch([], 1)], forMs: FEED_LIMITS.steadyMs + 1, end: fault(trouble) },
    ])
    await settle()
    it.clock.advance(1_000)
    await settle()
    it.clock.advance(FEED_LIMITS.steadyMs + 1)
    await settle()
    expect(it.delays()).toEqual([1_000, ms])
    await it.end()
  })

  test('ends at once when it is told to, also in a pause', async () => {
    const it = run([{ end: fault('unreachable') }])
    await settle()
    await it.end()
    expect(it.cursors).toHaveLength(1)
  })

  test('a bug is thrown to who supervises it', async () => {
    const it = run([{ end: new TypeError('a bug') }])
    await expect(it.following).rejects.toThrow('a bug')
  })
})
