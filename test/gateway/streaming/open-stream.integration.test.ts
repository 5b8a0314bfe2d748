import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/adapters/embedded/system-clock.ts'
import { type BeginStream, openStream } from '../../../src/gateway/streaming/open-stream.ts'
import { StreamFeed } from '../../../src/gateway/streaming/stream-feed.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { BusyError } from '../../../src/runtime/lanes.ts'
import { StreamRequest, StreamSnapshot } from '../../../src/schemas/api/stream.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import type { RecentChanges } from '../../../src/streams/activity/recent-changes.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../support/http/http.ts'
import { toTxid } from '../../support/ids.ts'
import { LiveLifecycle } from '../../support/log/live-lifecycle.ts'
import { bookOf, dice, spendBy } from '../../support/orders/order-book.ts'
import { changeBetween } from '../../support/orders/order-changes.ts'
import { CollectingSink } from '../../support/streams/collecting-sink.ts'

// Streams on the embedded log and views, read as slowly as the test wants.

const MANY = 20
const QUERIES = 1_000
/** As many as `ORDER_PARTITIONS` allows. */
const MANY_PARTITIONS = 1_024
const NO_LANES = { snapshot: now, replay: now }

let app: TestApp
let lifecycle: LiveLifecycle
let feed: StreamFeed
let stop: AbortController
let order: OrderRecord
let running: Promise<void>[]
let isLive: boolean
beforeEach(() => start())
afterEach(end)

async function start(options: TestAppOptions = {}): Promise<void> {
  app = await openTestApp(options)
  lifecycle = new LiveLifecycle(app.gateway.log, app.gateway.views)
  feed = new StreamFeed(app.gateway, 1_000)
  stop = new AbortController()
  setMaxListeners(0, stop.signal)
  running = []
  isLive = true
  const [first] = bookOf(1, 7)
  if (!first) throw new Error('the book is empty')
  order = first
  await seed(order)
}

async function end(): Promise<void> {
  stop.abort()
  await Promise.all(running)
  await lifecycle.close()
  await app.close()
}

async function now<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
async function seed(...orders: OrderRecord[]): Promise<void> {
  for (const one of orders) await lifecycle.write(one)
  for (const { id } of orders)
    await expect.poll(async () => (await app.gateway.views.order(id))?.order.id).toBe(id)
}
const ask = (
  query: object,
  { signal = stop.signal, reads = NO_LANES } = {},
): Promise<BeginStream> => openStream(feed, StreamRequest.parse(query), reads, signal)

/** A stream that has begun. */
async function open(
  query: object = { includeWithdrawn: 'true' },
  around: { signal?: AbortSignal; reads?: typeof NO_LANES } = {},
): Promise<CollectingSink> {
  const sink = new CollectingSink()
  running.push((await ask(query, around))(sink))
  return sink
}

/** Changes of an order one after another; the seq of each. */
async function change(count: number): Promise<number[]> {
  const seqs: number[] = []
  for (let n = 0; n < count; n += 1) {
    isLive = !isLive
    const { seq } = await lifecycle.write(order, { state: isLive ? 'LIVE' : 'SPENT' })
    seqs.push(seq)
  }
  return seqs
}
const told = (sink: CollectingSink, seqs: readonly number[]) =>
  expect.poll(() => sink.seqs, { timeout: 10_000 }).toEqual(seqs)

describe('a change', () => {
  test('is read once and made once for a thousand queries, and each has its own ids', async () => {
    const since = (n: number) => new Date(Date.UTC(2020, 0, 1) + n).toISOString()
    const sinks = await Promise.all(
      Array.from({ length: QUERIES }, (_, n) =>
        open({ updatedSince: since(n), includeWithdrawn: 'true', limit: '1' }),
      ),
    )
    const { order: readOrder } = app.gateway.views
    let reads = 0
    app.gateway.views.order = async (id) => {
      const found = await readOrder.call(app.gateway.views, id)
      // Until the views have the change they are asked again.
      if (found?.order.seq === 2) reads += 1
      return found
    }
    const { encode } = app.gateway.cursors
    let signatures = 0
    app.gateway.cursors.encode = (query, position) => {
      signatures += 1
      return encode(query, position)
    }
    const [seq] = await change(1)
    for (const sink of sinks) await told(sink, [seq ?? 0])
    expect([reads, signatures]).toEqual([1, 1])
    // The same bytes in memory, not equal ones.
    expect(new Set(sinks.map(({ pieces }) => pieces.at(-1))).size).toBe(1)
    expect(new Set(sinks.map(({ events }) => events.at(-1)?.id)).size).toBe(QUERIES)
  })

  test('is one piece for many readers of one query', async () => {
    const sinks = await Promise.all(Array.from({ length: MANY }, () => open()))
    const seqs = await change(1)
    for (const sink of sinks) await told(sink, seqs)
    expect(new Set(sinks.map(({ pieces }) => pieces.at(-1))).size).toBe(1)
  })
})

describe('a reader', () => {
  test.each([
    ['of the order', {}],
    ['of lists with it', { states: 'PENDING_NODE,LIVE', sort: 'newest' }],
  ])('%s that is not proved is told of all that the log has of it', async (_, query) => {
    const [, pooled] = bookOf(2, 7)
    if (!pooled) throw new Error('the book is empty')
    const unproved = { ...pooled, seq: 9, state: 'PENDING_NODE' as const, reason: 'node_away' }
    const entry = {
      order: unproved,
      changes: [],
      client: 'test',
      importedAt: Date.now(),
      lookAt: null,
    }
    await app.gateway.pool.put(entry, null, Date.now())
    const sink = await open('sort' in query ? query : { ...query, orderId: pooled.id })
    await expect.poll(() => sink.events.length).toBeGreaterThan(0)
    const first = await lifecycle.write(pooled, { state: 'PENDING_NODE' })
    const second = await lifecycle.write(pooled, { state: 'LIVE' })
    await expect.poll(() => sink.seqs).toContain(second.seq)
    expect(second.seq).toBeLessThan(9)
    expect([first.seq, second.seq]).toContain(sink.seqs[0])
  })

  test('that does not read for a while gets everything later, once and in order', async () => {
    const [quick, slow] = [await open(), await open()]
    const all = await change(1)
    await told(quick, all)
    await told(slow, all)
    slow.block()
    for (let step = 0; step < 10; step += 1) {
      all.push(...(await change(1)))
      await told(quick, all)
    }
    // What was on its way, and no more.
    expect(slow.seqs).toEqual(all.slice(0, 2))
    slow.unblock()
    await told(slow, all)
    all.push(...(await change(3)))
    await told(slow, all)
    await told(quick, all)
  })

  test('that comes later, or stays alone, gets what changes from then on', async () => {
    const leaving = new AbortController()
    const first = await open({ includeWithdrawn: 'true' }, { signal: leaving.signal })
    const before = await change(2)
    await told(first, before)
    const later = await open()
    leaving.abort()
    await expect.poll(() => first.isEnded).toBe(true)
    const after = await change(2)
    await told(later, after)
    expect(first.seqs).toEqual(before)
  })

  test('of any that come, go and stop reading at any time gets each change once', async () => {
    const roll = dice(93)
    const sinks = [await open()]
    const from = [0]
    const all: number[] = []
    for (let round = 0; round < 120; round += 1) {
      if (roll.chance(0.6)) all.push(...(await change(1 + roll.below(4))))
      const sink = roll.of(sinks)
      if (roll.chance(0.3)) sink.block()
      else sink.unblock()
      if (roll.chance(0.1)) {
        // What was before is told to the others.
        const [first] = sinks
        first?.unblock()
        await expect.poll(() => first?.seqs, { timeout: 10_000 }).toEqual(all)
        from.push(all.length)
        sinks.push(await open())
      }
    }
    for (const sink of sinks) sink.unblock()
    for (const [at, sink] of sinks.entries()) await told(sink, all.slice(from[at]))
  })

  test('whose orders are no longer kept reads them in turn, and again if it is turned away', async () => {
    let turns = 0
    const replay = async <T>(work: () => Promise<T>): Promise<T> => {
      turns += 1
      if (turns === 1) throw new BusyError('too many wait already')
      return work()
    }
    const reads = { snapshot: now, replay }
    const first = await open()
    const seqs = await change(3)
    await told(first, seqs)
    const cursor = first.events.find(({ event }) => event === 'snapshot')?.id ?? ''
    // Another gateway, which has none of them.
    feed = new StreamFeed(app.gateway, 1_000)
    const again = await open({ includeWithdrawn: 'true', cursor }, { reads })
    await told(again, seqs)
    expect(turns).toBe(2)
  })
})

test('a stream of a log of many partitions is resumed as any other', async () => {
  await end()
  await start({ partitions: MANY_PARTITIONS })
  const sink = await open()
  const seqs = await change(2)
  await told(sink, seqs)
  const [snapshot, first] = sink.events
  for (const [cursor = '', missed] of [
    [snapshot?.id, seqs],
    [first?.id, seqs.slice(1)],
  ] as const)
    await told(await open({ includeWithdrawn: 'true', cursor }), missed)
})

test('a heartbeat comes after 10 s without an event, and is a place to resume from', async () => {
  let aheadMs = 0
  app.gateway.clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
  feed = new StreamFeed(app.gateway, 20)
  const sink = await open()
  await told(sink, await change(1))
  expect(sink.events.map(({ event }) => event)).toEqual(['snapshot', 'change'])
  aheadMs += 10_000
  await expect.poll(() => sink.events.at(-1)?.event).toBe('heartbeat')
  const { id: cursor = '' } = sink.events.at(-1) ?? {}
  const again = await open({ includeWithdrawn: 'true', cursor })
  await told(again, await change(2))
  expect(sink.events.filter(({ event }) => event === 'heartbeat')).toHaveLength(1)
})

test('an open stream without changes is never silent for 25 s', async () => {
  let nowMs = 0
  app.gateway.clock = { ...systemClock, monotonic: () => nowMs }
  feed = new StreamFeed(app.gateway, 5)
  const sink = await open()
  let attended = 0
  sink.attend = () => {
    attended += 1
  }
  const heard = [nowMs]
  for (let heartbeats = 0; heard.length < 10; ) {
    nowMs += 1_000
    const before = attended
    await expect.poll(() => attended, { interval: 5 }).toBeGreaterThan(before + 1)
    const found = sink.events.filter(({ event }) => event === 'heartbeat').length
    if (found > heartbeats) heard.push(nowMs)
    else expect(nowMs - (heard.at(-1) ?? 0)).toBeLessThan(25_000)
    heartbeats = found
  }
  expect(sink.events.map(({ event }) => event)).toEqual(['snapshot', ...Array(9).fill('heartbeat')])
})

describe('the views', () => {
  test('that cannot be read end all streams; a new one starts over', async () => {
    const sinks = [await open(), await open({ side: 'ASK' })]
    const { order: readOrder } = app.gateway.views
    app.gateway.views.order = async () => {
      throw new StorageUnavailableError('io', 'away')
    }
    await change(1)
    for (const sink of sinks) {
      await expect.poll(() => sink.failure).toBeInstanceOf(StorageUnavailableError)
    }
    app.gateway.views.order = readOrder
    const again = await open()
    await told(again, await change(1))
  })

  test('that are always one change behind the log, but move on, end no stream', async () => {
    let aheadMs = 0
    app.gateway.clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
    feed = new StreamFeed(app.gateway, 1_000)
    const sink = await open()
    let recent: RecentChanges | undefined
    const following = app.gateway.changes.subscribe((next) => {
      recent = next
    })
    const newest = () =>
      recent?.ofPartition(lifecycle.partitionOf(order.id), 0, 100)?.changes.at(-1)
    const { order: readOrder } = app.gateway.views
    let reached = 1
    app.gateway.views.order = async (id) => {
      const found = await readOrder.call(app.gateway.views, id)
      return (
        found && { ...found, order: { ...found.order, seq: Math.min(found.order.seq, reached) } }
      )
    }
    const seqs = await change(1)
    for (let n = 0; n < 4; n += 1) {
      aheadMs += 20_000
      seqs.push(...(await change(1)))
      await expect.poll(() => newest()?.seq).toBe(seqs.at(-1))
      reached += 1
      await told(sink, seqs.slice(0, -1))
    }
    following.unsubscribe()
    expect(sink.events.map(({ event }) => event)).not.toContain('resync-required')
  })

  test('that do not move on for 30 s end all streams, which start over', async () => {
    let aheadMs = 0
    app.gateway.clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
    feed = new StreamFeed(app.gateway, 1_000)
    const sink = await open()
    let asked = 0
    app.gateway.views.order = async () => {
      asked += 1
      return null
    }
    await change(1)
    await expect.poll(() => asked).toBeGreaterThan(1)
    aheadMs += 30_000
    await expect.poll(() => sink.isEnded).toBe(true)
    expect(sink.events.at(-1)).toMatchObject({
      event: 'resync-required',
      data: '{"reason":"views_behind"}',
    })
  })

  test('that are behind the log are waited for: a new stream misses nothing', async () => {
    const { log } = app.gateway
    const stored = await app.gateway.views.order(order.id)
    if (!stored) throw new Error('the order is not in the views')
    // Written by the actors, and not projected yet.
    await lifecycle.close()
    const after = { ...stored.order, state: 'SPENT' as const }
    const spent = changeBetween(stored.order, after)
    const partition = lifecycle.partitionOf(order.id)
    await log.append([{ topic: TOPICS.lifecycle, partition, key: order.id, value: spent }])
    const opening = open()
    await sleep(200)
    lifecycle = new LiveLifecycle(log, app.gateway.views)
    const [snapshot] = (await opening).events
    const { orders } = StreamSnapshot.parse(JSON.parse(snapshot?.data ?? ''))
    expect(orders).toMatchObject([{ id: order.id, state: 'SPENT' }])
  })
})

describe('a stream of those changed since a time', () => {
  const later = (ms: number) => new Date(Date.parse(order.updatedAt) + ms).toISOString()
  const since = () => ({ updatedSince: later(5_000), includeWithdrawn: 'true' })

  test('is told of an order that a verification brings into the list, and not again', async () => {
    const [sink, other] = [await open(since()), await open()]
    const brings = await lifecycle.write(order, { updatedAt: later(6_000) }, 'verified')
    await lifecycle.write(order, { updatedAt: later(7_000) }, 'verified')
    const [last] = await change(1)
    await told(sink, [brings.seq, last ?? 0])
    expect(sink.changes[0]).toMatchObject({ entry: null, order: { id: order.id } })
    await told(other, [last ?? 0])
  })

  test('is not told of a verification of one that the other filters exclude', async () => {
    const excluded = order.side === 'ASK' ? 'BID' : 'ASK'
    const sink = await open({ ...since(), side: excluded })
    const all = await open()
    await lifecycle.write(order, { updatedAt: later(6_000) }, 'verified')
    await told(all, await change(1))
    expect(sink.seqs).toEqual([])
  })
})

describe('a stream of a search by txid', () => {
  const by = (firstByte: string) => spendBy(toTxid(firstByte.repeat(32)))
  const shown = (sink: CollectingSink) =>
    sink.changes.map(({ seq, order: listed }) => [seq, listed !== null])

  test('is told of an order that it finds no longer, and of no other', async () => {
    const [first, both, other] = await Promise.all(
      ['aaaa', 'A', 'bb'].map((search) => open({ search, includeWithdrawn: 'true' })),
    )
    if (!first || !both || !other) throw new Error('no streams')
    const seqs: number[] = []
    const moves = async (changes: Partial<OrderRecord>, kind?: 'noted') => {
      seqs.push((await lifecycle.write(order, changes, kind)).seq)
      await told(both, seqs)
    }
    await moves({ state: 'MEMPOOL_CONFLICTED', spend: by('aa') })
    await moves({ spend: by('ab') }, 'noted')
    await moves({ state: 'SPENT', spend: by('ab') })
    await moves({ state: 'LIVE', spend: null })
    const [spent = 0, replaced = 0, confirmed = 0, undone = 0] = seqs
    expect(shown(both)).toEqual([
      ...[spent, replaced, confirmed].map((seq) => [seq, true]),
      [undone, false],
    ])
    expect(shown(first)).toEqual([
      [spent, true],
      [replaced, false],
    ])
    expect(other.seqs).toEqual([])
  })
})

test('a verification that finds another spender is a change, also where the state stays', async () => {
  await lifecycle.write(order, { state: 'SPENT', spend: spendBy(toTxid('aa'.repeat(32))) })
  const sink = await open()
  const moved = await lifecycle.write(
    order,
    { spend: spendBy(toTxid('bb'.repeat(32))) },
    'verified',
  )
  await lifecycle.write(order, { verifiedAt: order.createdAt }, 'verified')
  const undone = await lifecycle.write(order, { state: 'LIVE', spend: null })
  await told(sink, [moved.seq, undone.seq])
  expect(sink.changes[0]).toMatchObject({ entry: null, order: { id: order.id } })
})

describe('a stream by what can be done with orders', () => {
  const agoMs = (ms: number) => new Date(Date.now() - ms).toISOString()
  const isRaceable = ({ inspection }: OrderRecord['kept']) =>
    inspection.safety === 'PUBLIC_RACEABLE'
  const verified = (ms: number) =>
    lifecycle.write(order, { updatedAt: agoMs(ms), verifiedAt: agoMs(ms) }, 'verified')
  const actionabilities = (sink: CollectingSink) =>
    sink.changes.map(({ order: shown }) => shown?.actionability ?? null)

  beforeEach(async () => {
    const found = bookOf(60, 7).find(
      ({ id, side, kept }) => id !== order.id && side === 'ASK' && isRaceable(kept),
    )
    if (!found) throw new Error('the book has no ask that may be bought')
    const { protocolId: _market, hidden: _hidden, ...rest } = found
    const old = agoMs(3_600_000)
    order = { ...rest, state: 'LIVE', createdAt: old, updatedAt: old, verifiedAt: old }
    await seed(order)
  })
  test('is told of one that a verification makes ready, or no longer for review alone', async () => {
    const sinks = await Promise.all(
      ['HANDOFF_READY', 'REVIEW_ONLY'].map((actionability) => open({ actionability })),
    )
    const [ready, review] = sinks
    if (!ready || !review) throw new Error('no streams')
    const { seq } = await verified(2_000)
    for (const sink of sinks) await told(sink, [seq])
    expect([actionabilities(ready), actionabilities(review)]).toEqual([['HANDOFF_READY'], [null]])
    // It is ready already, though noted in between.
    await lifecycle.write(order, { updatedAt: agoMs(1_000), notes: ['x'] }, 'noted')
    await verified(500)
    const [last] = await change(1)
    for (const sink of sinks) await told(sink, [seq, seq + 1, last ?? 0])
  })

  test('is told of one that was noted since its last verification', async () => {
    const ready = await open({ actionability: 'HANDOFF_READY' })
    await lifecycle.write(order, { updatedAt: agoMs(2_000), notes: ['x'] }, 'noted')
    const { seq } = await verified(1_000)
    await expect.poll(() => ready.seqs.at(-1)).toBe(seq)
    expect(actionabilities(ready).at(-1)).toBe('HANDOFF_READY')
  })
})
