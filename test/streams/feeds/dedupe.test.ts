import { describe, expect, test } from 'vitest'
import { FeedError, type FeedItem, type OrderFeed } from '../../../src/ports/feeds/order-feed.ts'
import { openRateLimiter, type RateLimiter } from '../../../src/runtime/rate-limiter.ts'
import {
  DUPLICATE,
  dedupe,
  type IntakeItem,
  type IntakeResult,
  type ItemReader,
  type Judged,
} from '../../../src/streams/feeds/dedupe.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const IMPORTED: Judged = { outcome: 'imported', isLie: false, isSettled: true }
const FORGED: Judged = { outcome: 'invalid_event', isLie: true, isSettled: false }
const event = (id: string, what: unknown = id): FeedItem => ({ kind: 'event', id, event: what })
const NEVER = new AbortController().signal

function memory() {
  const known = new Set<string>()
  return {
    known,
    knows: async (source: string, id: string) => known.has(`${source} ${id}`),
    remember: async (source: string, id: string) => void known.add(`${source} ${id}`),
  }
}

/** Everything that was proved, and what takes an item to its end. */
function taker(
  judge: (item: IntakeItem) => Promise<Judged> = async () => IMPORTED,
  store = memory(),
) {
  const judged: IntakeItem[] = []
  const clock = new ManualClock()
  const read: ItemReader = async (item) => {
    if (item.kind === 'event' && item.event === 'false') return FORGED
    const prove = () => {
      judged.push(item)
      return judge(item)
    }
    return { publisher: 'p', size: 1, prove }
  }
  const takeOnce = dedupe({ store, clock })
  const once = (source: OrderFeed['source'], item: FeedItem) => takeOnce(source, item, read)
  const take = async (
    item: FeedItem,
    { budgets = [], signal = NEVER, source = 'portable-nostr802' }: TakeOptions = {},
  ): Promise<IntakeResult> => {
    const taken = await once(source, item)
    return 'settle' in taken ? taken.settle(budgets, signal) : taken
  }
  return { store, clock, judged, take, once }
}

interface TakeOptions {
  budgets?: RateLimiter[]
  signal?: AbortSignal
  source?: 'portable-nostr802' | 'asset-offers'
}

describe('an item', () => {
  test('is processed once', async () => {
    const { take, judged } = taker()
    expect(await take(event('a'))).toEqual({ outcome: 'imported', isLie: false })
    expect(await take(event('a'))).toEqual({ outcome: 'duplicate', isLie: false })
    expect(judged).toHaveLength(1)
  })

  test.each([true, false])(
    'that is refused at once is new the first time, and known later only if settled: %s',
    async (isSettled) => {
      const takeOnce = dedupe({ store: memory(), clock: new ManualClock() })
      const read: ItemReader = async () => ({ outcome: 'refused', isLie: false, isSettled })
      const take = () => takeOnce('portable-nostr802', event('a'), read)
      expect(await take()).toMatchObject({ outcome: 'refused', isNew: true })
      expect(await take()).toMatchObject(
        isSettled ? DUPLICATE : { outcome: 'refused', isNew: false },
      )
    },
  )

  test('of another source is another item', async () => {
    const { take } = taker()
    const offer: FeedItem = { kind: 'offer', id: 'a', psbt: '' }
    await take(event('a'))
    expect((await take(offer, { source: 'asset-offers' })).outcome).toBe('imported')
  })

  test('from two feeds at the same time is processed once, and neither continues before', async () => {
    let finish = () => {}
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { take, judged } = taker(() => done.then(() => IMPORTED))
    const both = [take(event('a')), take(event('a'))]
    let isOver = false
    const over = Promise.race(both).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect([judged.length, isOver]).toEqual([1, false])
    finish()
    await over
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual([
      'imported',
      'duplicate',
    ])
  })

  test('that is forged hides no valid one with its id, before it or at the same time', async () => {
    const { take, judged } = taker()
    const [forged, honest] = await Promise.all([
      take(event('a', 'false')),
      take(event('a', 'true')),
    ])
    expect([forged, honest]).toMatchObject([
      { outcome: 'invalid_event', isLie: true },
      { outcome: 'imported', isLie: false },
    ])
    expect(judged).toHaveLength(1)
    expect((await take(event('a', 'false'))).outcome).toBe('duplicate')
  })

  test('that could not be stored is a fault, and processed when it is delivered again', async () => {
    let isFull = true
    const { take, store } = taker(async () => {
      if (isFull) throw new Error('the disk is full')
      return IMPORTED
    })
    const [first, second] = await Promise.allSettled([take(event('a')), take(event('a'))])
    for (const one of [first, second]) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { name: 'FeedError', trouble: 'not_stored', message: 'the disk is full' },
      })
    }
    expect(store.known.size).toBe(0)
    isFull = false
    expect((await take(event('a'))).outcome).toBe('imported')
  })

  test('is not processed where the store fails', async () => {
    const store = { ...memory(), knows: () => Promise.reject(new Error('no memory')) }
    const { take } = taker(undefined, store)
    await expect(take(event('a'))).rejects.toThrow(new FeedError('not_stored', 'no memory'))
  })

  test.each<[FeedItem, object]>([
    [
      { kind: 'lie', detail: '' },
      { outcome: 'lie', isLie: true },
    ],
    [
      { kind: 'oversized', detail: '' },
      { outcome: 'oversized', isLie: false },
    ],
  ])('that is %o is counted and not examined', async (item, counted) => {
    const { take, judged } = taker()
    expect(await take(item)).toEqual(counted)
    expect(judged).toEqual([])
  })
})

describe('a valid item that could not be proved', () => {
  const UNKNOWN: Judged = { outcome: 'unknown_output', isLie: false, isSettled: false }

  test('is not examined again for an hour, whichever feed delivers it', async () => {
    const { take, judged, store, clock } = taker(async () => UNKNOWN)
    expect((await take(event('a'))).outcome).toBe('unknown_output')
    clock.advance(3_599_999)
    expect((await take(event('a'))).outcome).toBe('duplicate')
    clock.advance(1)
    expect((await take(event('a'))).outcome).toBe('unknown_output')
    expect([judged.length, store.known.size]).toEqual([2, 0])
  })

  test('because the node was unavailable is examined when it is delivered again', async () => {
    let isAway = true
    const { take } = taker(async () => {
      if (isAway) throw new FeedError('node_away', 'it is')
      return IMPORTED
    })
    await expect(take(event('a'))).rejects.toMatchObject({ trouble: 'node_away' })
    isAway = false
    expect((await take(event('a'))).outcome).toBe('imported')
  })
})

describe('the budget', () => {
  test('counts what is examined: known or false items cost nothing', async () => {
    const { take, clock } = taker()
    const budget = openRateLimiter({ perSecond: 1, burst: 1 }, clock)
    const tell = (id: string) => take(event(id), { budgets: [budget] })
    await tell('a')
    for (let n = 0; n < 5; n += 1) expect((await tell('a')).outcome).toBe('duplicate')
    expect((await take(event('b', 'false'), { budgets: [budget] })).outcome).toBe('invalid_event')
    let isTaken = false
    const waiting = tell('b').then(() => {
      isTaken = true
    })
    await clock.turn()
    expect(isTaken).toBe(false)
    clock.advance(1_000)
    await waiting
  })

  test('is not awaited once the signal aborts: the item is not processed', async () => {
    const { take, judged, clock } = taker()
    const budget = openRateLimiter({ perSecond: 1, burst: 1 }, clock)
    await budget.take()
    const stop = new AbortController()
    const waiting = take(event('a'), { budgets: [budget], signal: stop.signal })
    await clock.turn()
    stop.abort()
    await expect(waiting).rejects.toBeInstanceOf(FeedError)
    expect(judged).toEqual([])
  })
})
