import { setMaxListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  type FeedBatch,
  FeedError,
  type FeedItem,
  type FeedTrouble,
  type OrderFeed,
} from '../../../src/ports/feeds/order-feed.ts'
import { openRateLimiter } from '../../../src/runtime/rate-limiter.ts'
import type { IntakeResult, Waiting } from '../../../src/streams/feeds/dedupe.ts'
import {
  FEED_LIMITS,
  type FeedLimits,
  type FeedState,
  followFeed,
} from '../../../src/streams/feeds/follow-feed.ts'
import { ManualClock } from '../../support/manual-clock.ts'

/** One connection of the scripted feed: batches, then its end. */
interface Connection {
  batches?: FeedBatch[]
  /** How long it lasts. */
  forMs?: number
  /** Default: nothing more arrives. */
  end?: Error
}

const event = (id: string): FeedItem => ({ kind: 'event', id, event: {} })
const batch = (ids: string[], cursor: number | null = null): FeedBatch => ({
  items: ids.map(event),
  cursor,
  isBehind: false,
})
const LIE: FeedBatch = { items: [{ kind: 'lie', detail: '' }], cursor: null, isBehind: false }
const FREE = { perSecond: 1_000, burst: 10_000 }
const fault = (trouble: FeedTrouble) => new FeedError(trouble, `it is ${trouble}`)
/** Everything that does not wait for time has finished: only turns of the event loop are needed. */
const settle = async () => {
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise(setImmediate)
}

/** A valid item of a publisher, which waits for its turn. */
const waitingFor = (
  publisher: string,
  conclude = async (): Promise<IntakeResult> => ({ outcome: 'imported', isLie: false }),
): Waiting => ({ publisher, size: 1, settle: conclude })

function run(
  connections: Connection[],
  {
    take,
    saveCursor,
    limits = { ...FEED_LIMITS, rate: FREE, queue: { ...FEED_LIMITS.queue, rate: FREE } },
  }: {
    take?: (item: FeedItem) => Promise<IntakeResult | Waiting>
    saveCursor?: () => Promise<void>
    limits?: FeedLimits
  } = {},
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
      budget: openRateLimiter(FREE, clock),
      limits,
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
  test('is followed: its items are processed and counted, and its cursor is stored', async () => {
    const it = run([{ batches: [batch(['a', 'b']), batch([], 7), batch(['c']), batch([], 9)] }])
    await settle()
    expect(it.taken).toEqual(['a', 'b', 'c'])
    expect(it.outcomes).toEqual(['event', 'event', 'event'])
    expect(it.saved()).toBe(9)
    expect(it.states.map(({ state }) => state)).toEqual(['connecting', 'catching up', 'following'])
    await it.end()
  })

  test('continues from its cursor when it is back', async () => {
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

  test('whose items cannot be stored is paused, and no cursor moves past them', async () => {
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

  test('whose cursor cannot be stored is paused', async () => {
    const it = run([{ batches: [batch([], 5)] }], {
      saveCursor: () => Promise.reject(new Error('the disk is full')),
    })
    await settle()
    expect(it.states.at(-1)).toMatchObject({ trouble: 'not_stored', detail: 'the disk is full' })
    await it.end()
  })

  test('that lies is paused at the tenth lie; refusals are not lies', async () => {
    const it = run([
      { batches: [...Array<FeedBatch>(9).fill(LIE), batch(Array(50).fill('refused')), LIE, LIE] },
    ])
    await settle()
    expect(it.states.at(-1)).toMatchObject({
      trouble: 'lies',
      detail: '10 items were false or not requested',
    })
    expect(it.outcomes.filter((outcome) => outcome === 'lie')).toHaveLength(10)
    await it.end()
  })

  test('that brings nothing new without a break is paused; valid events are not a flood', async () => {
    const more = (id: string): FeedBatch => ({ ...batch([id]), isBehind: true })
    const known = Array<FeedBatch>(8).fill(more('known'))
    const empty = Array<FeedBatch>(8).fill({ items: [], cursor: null, isBehind: true })
    const it = run(
      [
        {
          batches: [
            ...[...known, more('a'), ...empty, batch(['known']), ...known],
            ...Array.from({ length: 50 }, (_, n) => more(`new ${n}`)),
            ...[...known, ...empty],
          ],
        },
      ],
      {
        take: async (item) =>
          item.kind === 'event' && item.id === 'known'
            ? { outcome: 'duplicate', isLie: false }
            : waitingFor('p'),
        limits: { ...FEED_LIMITS, maxRun: 10, rate: FREE },
      },
    )
    await settle()
    expect(it.states.at(-1)).toMatchObject({
      trouble: 'flood',
      detail: '10 consecutive messages brought nothing new',
    })
    expect(it.taken.filter((id) => id.startsWith('new'))).toHaveLength(50)
    await it.end()
  })

  test.each<[string, FeedItem, IntakeResult]>([
    ['too large', { kind: 'oversized', detail: '' }, { outcome: 'oversized', isLie: false }],
    [
      'refused without a trace',
      event('a'),
      { outcome: 'wrong_network', isLie: false, isNew: false },
    ],
  ])('that repeats what is %s without a break is paused', async (_, item, result) => {
    const again: FeedBatch = { items: [item], cursor: null, isBehind: true }
    const it = run([{ batches: Array<FeedBatch>(12).fill(again) }], {
      take: async () => result,
      limits: { ...FEED_LIMITS, maxRun: 10 },
    })
    await settle()
    expect(it.states.at(-1)).toMatchObject({ trouble: 'flood' })
    await it.end()
  })

  test('that sends one refused item after the other for the first time is no flood', async () => {
    const more = Array.from({ length: 30 }, (_, n) => ({ ...batch([`${n}`]), isBehind: true }))
    const it = run([{ batches: more }], {
      take: async () => ({ outcome: 'unsupported_order', isLie: false, isNew: true }),
      limits: { ...FEED_LIMITS, maxRun: 10 },
    })
    await settle()
    expect(it.states.at(-1)).toEqual({ state: 'catching up' })
    await it.end()
  })

  test('that fails repeatedly is paused for longer each time, five minutes at most', async () => {
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
    ['node_away', 1_000],
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

  test('whose items the node cannot examine waits for it, and its cursor stays', async () => {
    let isAway = true
    const it = run([{ batches: [batch(['a'], 5)] }, { batches: [batch(['a'], 5)] }], {
      take: async () =>
        waitingFor('p', async () => {
          if (isAway) throw fault('node_away')
          return { outcome: 'imported', isLie: false }
        }),
    })
    await settle()
    expect([it.saved(), it.states.at(-1)]).toMatchObject([null, { trouble: 'node_away' }])
    isAway = false
    it.clock.advance(1_000)
    await settle()
    expect([it.outcomes, it.saved()]).toEqual([['imported'], 5])
    await it.end()
  })

  test('that may have several items under examination has no more than these', async () => {
    let under = 0
    let highest = 0
    const letGo: (() => void)[] = []
    const it = run([{ batches: [batch(['a', 'b', 'c', 'd', 'e', 'f'], 7)] }], {
      limits: {
        ...FEED_LIMITS,
        rate: FREE,
        queue: { ...FEED_LIMITS.queue, rate: FREE },
        atOnce: 3,
      },
      take: async () =>
        waitingFor('p', async () => {
          highest = Math.max(highest, ++under)
          await new Promise<void>((resolve) => letGo.push(resolve))
          under -= 1
          return { outcome: 'imported', isLie: false }
        }),
    })
    await settle()
    expect([under, it.saved()]).toEqual([3, null])
    // The last that began ends first: the cursor waits for those before it.
    for (let left = 6; left > 0; left -= 1) {
      letGo.pop()?.()
      await settle()
      expect(it.saved()).toBe(left === 1 ? 7 : null)
    }
    expect([highest, it.outcomes.length]).toEqual([3, 6])
    await it.end()
  })

  test('is paused for the first failure, once nothing of it is under examination', async () => {
    const ended: string[] = []
    const limits = {
      ...{ ...FEED_LIMITS, rate: FREE, atOnce: 2 },
      queue: { ...FEED_LIMITS.queue, rate: FREE },
    }
    const it = run([{ batches: [batch(['slow', 'fails'], 7)] }], {
      limits,
      take: async (item) => ({
        publisher: 'p',
        size: 1,
        settle: async (_budgets, signal) => {
          if ('id' in item && item.id === 'fails') throw fault('node_away')
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          ended.push('slow')
          throw fault('not_stored')
        },
      }),
    })
    await settle()
    expect(ended).toEqual(['slow'])
    expect([it.saved(), it.states.at(-1)]).toMatchObject([null, { trouble: 'node_away' }])
    await it.end()
  })

  test('ends at once on request, even during a pause', async () => {
    const it = run([{ end: fault('unreachable') }])
    await settle()
    await it.end()
    expect(it.cursors).toHaveLength(1)
  })

  test('a bug is thrown to the supervisor', async () => {
    const it = run([{ end: new TypeError('a bug') }])
    await expect(it.following).rejects.toThrow('a bug')
  })
})

describe('the publishers of a feed', () => {
  const publisherOf = (item: FeedItem) => ('id' in item ? (item.id.split(' ')[0] ?? '') : '')
  const flood = (count: number) => Array.from({ length: count }, (_, n) => `flood ${n}`)

  /** A run in which every item is valid, and reports when it is settled. */
  function runTrue(batches: FeedBatch[], queue: Partial<FeedLimits['queue']>) {
    const settled: string[] = []
    const it = run([{ batches }], {
      take: async (item) =>
        waitingFor(publisherOf(item), async () => {
          settled.push('id' in item ? item.id : '')
          return { outcome: 'imported', isLie: false }
        }),
      limits: { ...FEED_LIMITS, rate: FREE, queue: { ...FEED_LIMITS.queue, ...queue } },
    })
    return { ...it, settled }
  }

  test('take turns: a quiet publisher does not wait behind a busy one', async () => {
    const it = runTrue([batch([...flood(50), 'honest 1', 'other 1', 'honest 2'], 7)], {
      rate: { perSecond: 1, burst: 2 },
    })
    await settle()
    expect(it.settled.slice().sort()).toEqual([
      'flood 0',
      'flood 1',
      'honest 1',
      'honest 2',
      'other 1',
    ])
    // What is deferred is not passed: the cursor waits for it.
    expect(it.saved()).toBeNull()
    for (let n = 0; n < 48; n += 1) {
      it.clock.advance(1_000)
      await settle()
    }
    expect([it.settled.length, it.saved()]).toEqual([53, 7])
    expect(it.states.filter(({ state }) => state === 'paused')).toEqual([])
    await it.end()
  })

  test('with too much waiting lose their oldest, and no other does', async () => {
    const it = runTrue([batch([...flood(20), 'honest 1', ...flood(60).slice(20)], 7)], {
      rate: { perSecond: 1, burst: 1 },
      maxSize: 10,
      share: 3,
    })
    await settle()
    expect(it.settled).toContain('honest 1')
    const dropped = it.outcomes.filter((outcome) => outcome === 'dropped').length
    expect(dropped + it.settled.length).toBe(61 - 10)
    for (let n = 0; n < 10; n += 1) {
      it.clock.advance(1_000)
      await settle()
    }
    // The newest ten waited; what is before the cursor is settled or dropped.
    expect(it.settled.slice(-10)).toEqual(flood(60).slice(-10))
    expect(it.saved()).toBe(7)
    await it.end()
  })

  test('with few items each lose nothing: the feed is read more slowly', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `key${n} 1`)
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const it = run([{ batches: ids.map((id) => batch([id])) }], {
      take: async (item) =>
        waitingFor(publisherOf(item), () => held.then(() => ({ outcome: 'done', isLie: false }))),
      limits: { ...FEED_LIMITS, rate: FREE, queue: { ...FEED_LIMITS.queue, maxSize: 10 } },
    })
    await settle()
    // Ten wait, one is in progress, and one has been read.
    expect(it.taken).toEqual(ids.slice(0, 12))
    letGo()
    await settle()
    expect([it.taken, it.outcomes.filter((outcome) => outcome === 'done').length]).toEqual([
      ids,
      40,
    ])
    await it.end()
  })

  test('are not processed twice: what waits already is a duplicate', async () => {
    const it = runTrue([batch(['a 1', 'a 2', 'a 2', 'a 2'])], { rate: { perSecond: 1, burst: 1 } })
    await settle()
    expect(it.outcomes.slice().sort()).toEqual(['duplicate', 'duplicate', 'imported'])
    await it.end()
  })
})

test('no more goes to the node at once than the rates allow, however much was delivered', async () => {
  let settled = 0
  const it = run([{ batches: [batch(Array.from({ length: 100 }, (_, n) => `${n}`))] }], {
    take: async (item) => ({
      publisher: 'id' in item ? item.id : '',
      size: 1,
      settle: async (budgets, signal) => {
        for (const budget of budgets) await budget.take(signal)
        settled += 1
        return { outcome: 'imported', isLie: false }
      },
    }),
    limits: FEED_LIMITS,
  })
  await settle()
  expect(settled).toBe(FEED_LIMITS.rate.burst)
  for (let n = 1; n <= 5; n += 1) {
    it.clock.advance(100)
    await settle()
    expect(settled).toBe(FEED_LIMITS.rate.burst + n)
  }
  await it.end()
})
