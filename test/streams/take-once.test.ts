import { describe, expect, test } from 'vitest'
import { openBudget } from '../../src/ports/budget.ts'
import { FeedFault, type FeedItem } from '../../src/ports/order-feed.ts'
import { type Judged, type Telling, takeOnce } from '../../src/streams/take-once.ts'
import { ManualClock } from '../support/manual-clock.ts'

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

/** Everything that was judged, and a taker of nostr events. */
function taker(judge: (item: Telling) => Promise<Judged> = async () => IMPORTED) {
  const store = memory()
  const judged: Telling[] = []
  const take = takeOnce({
    store,
    take: (item) => {
      judged.push(item)
      return judge(item)
    },
  })
  return { store, judged, take: (item: FeedItem) => take('portable-nostr802', item, [], NEVER) }
}

describe('an item', () => {
  test('is taken once', async () => {
    const { take, judged } = taker()
    expect(await take(event('a'))).toEqual({ outcome: 'imported', isLie: false })
    expect(await take(event('a'))).toEqual({ outcome: 'duplicate', isLie: false })
    expect(judged).toHaveLength(1)
  })

  test('is another one of another source', async () => {
    const store = memory()
    const take = takeOnce({ store, take: async () => IMPORTED })
    const offer: FeedItem = { kind: 'offer', id: 'a', psbt: '' }
    await take('portable-nostr802', event('a'), [], NEVER)
    expect((await take('asset-offers', offer, [], NEVER)).outcome).toBe('imported')
  })

  test('told by two feeds at the same time is taken once, and neither goes on before', async () => {
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

  test('that is forged hides no true one of its name, before it or beside it', async () => {
    const { take, judged } = taker(async (item) =>
      item.kind === 'event' && item.event === 'true' ? IMPORTED : FORGED,
    )
    const [forged, honest] = await Promise.all([
      take(event('a', 'false')),
      take(event('a', 'true')),
    ])
    expect([forged, honest]).toEqual([
      { outcome: 'invalid_event', isLie: true },
      { outcome: 'imported', isLie: false },
    ])
    expect(judged).toHaveLength(2)
    expect((await take(event('a', 'false'))).outcome).toBe('duplicate')
  })

  test('that could not be stored is a fault, and taken when it is told again', async () => {
    let isFull = true
    const { take, store } = taker(async () => {
      if (isFull) throw new Error('the disk is full')
      return IMPORTED
    })
    const [first, second] = await Promise.allSettled([take(event('a')), take(event('a'))])
    for (const one of [first, second]) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { name: 'FeedFault', trouble: 'not_stored', message: 'the disk is full' },
      })
    }
    expect(store.known.size).toBe(0)
    isFull = false
    expect((await take(event('a'))).outcome).toBe('imported')
  })

  test('is not taken where the memory fails', async () => {
    const store = { ...memory(), knows: () => Promise.reject(new Error('no memory')) }
    const take = takeOnce({ store, take: async () => IMPORTED })
    await expect(take('portable-nostr802', event('a'), [], NEVER)).rejects.toThrow(
      new FeedFault('not_stored', 'no memory'),
    )
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
  ])('that is %o is counted and not looked into', async (item, counted) => {
    const { take, judged } = taker()
    expect(await take(item)).toEqual(counted)
    expect(judged).toEqual([])
  })
})

describe('the budget', () => {
  test('is of what is new: duplicates cost nothing', async () => {
    const clock = new ManualClock()
    const budget = openBudget({ perSecond: 1, burst: 1 }, clock)
    const take = takeOnce({ store: memory(), take: async () => IMPORTED })
    const tell = (id: string) => take('portable-nostr802', event(id), [budget], NEVER)
    await tell('a')
    for (let n = 0; n < 5; n += 1) expect((await tell('a')).outcome).toBe('duplicate')
    let isTaken = false
    const next = tell('b').then(() => {
      isTaken = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isTaken).toBe(false)
    clock.advance(1_000)
    await next
  })

  test('is not waited for when all ends: nothing is taken then', async () => {
    const clock = new ManualClock()
    const budget = openBudget({ perSecond: 1, burst: 1 }, clock)
    await budget.take()
    const judged: Telling[] = []
    const stop = new AbortController()
    const take = takeOnce({
      store: memory(),
      take: async (item) => {
        judged.push(item)
        return IMPORTED
      },
    })
    const waiting = take('portable-nostr802', event('a'), [budget], stop.signal)
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    await expect(waiting).rejects.toBeInstanceOf(FeedFault)
    expect(judged).toEqual([])
  })
})
