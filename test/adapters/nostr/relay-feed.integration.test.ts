import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  OVERLAP_SECONDS,
  openRelayFeed,
  RELAY_LIMITS,
  type RelayLimits,
} from '../../../src/adapters/nostr/relay-feed.ts'
import type { NostrEvent } from '../../../src/schemas/wire/nostr.ts'
import { type FeedReader, readInBackground } from '../../support/log/feed-reader.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import {
  openTestRelay,
  type TestRelay,
  type TestRelayOptions,
} from '../../support/services/relay.ts'
import { systemClock } from '../../support/system-clock.ts'

const seconds = () => Math.floor(Date.now() / 1_000)
const event = (createdAt = seconds(), kind = 802) =>
  saleEvent(`content ${createdAt}`, [['n', 'regtest']], { createdAt, kind })

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

async function relayWith(events: NostrEvent[] = [], options: TestRelayOptions = {}) {
  const relay = await openTestRelay(options)
  cleanUp.push(relay.stop)
  for (const one of events) await relay.publish(one)
  return relay
}

function follow(
  { url }: Pick<TestRelay, 'url'>,
  { cursor = null, ...limits }: Partial<RelayLimits> & { cursor?: number | null } = {},
): FeedReader {
  const feed = openRelayFeed({ url, clock: systemClock, limits: { ...RELAY_LIMITS, ...limits } })
  const reader = readInBackground(feed, { cursor })
  cleanUp.push(reader.stop)
  return reader
}

const isCaughtUp = ({ cursors }: FeedReader) => cursors.length > 0

describe('what a relay has', () => {
  test('is delivered: stored events first, then what is published', async () => {
    const [stored, later] = [event(seconds() - 60), event()]
    const relay = await relayWith([stored])
    const reader = follow(relay)
    await reader.until('it is caught up', isCaughtUp)
    expect(reader.items).toEqual(
      expect.arrayContaining([{ kind: 'event', id: stored.id, event: stored }]),
    )
    await relay.publish(later)
    await reader.until('the new event is delivered', (it) => it.ids().includes(later.id))
    expect(reader.items.at(-1)).toEqual({ kind: 'event', id: later.id, event: later })
  })

  test('other kinds are not requested', async () => {
    const relay = await relayWith([event(seconds(), 1002), event(seconds(), 1)])
    const reader = follow(relay)
    await reader.until('it is caught up', isCaughtUp)
    expect(reader.items).toEqual([])
    for (const [, , filter] of relay.said.filter(([kind]) => kind === 'REQ')) {
      expect(filter).toMatchObject({ kinds: [802] })
    }
  })

  test('is read whole, page by page, though it returns few at once and does not say so', async () => {
    const now = seconds()
    const events = Array.from({ length: 23 }, (_, n) => event(now - n * 7))
    const relay = await relayWith(events, { maxPage: 4 })
    const reader = follow(relay)
    await reader.until('it is caught up', isCaughtUp)
    expect(new Set(reader.ids())).toEqual(new Set(events.map(({ id }) => id)))
    expect(reader.fault).toBeNull()
  })

  test('is read back to a day before the cursor and no further', async () => {
    const cursor = seconds() - 1_000
    const wanted = [cursor + 10, cursor - 10, cursor - OVERLAP_SECONDS].map((at) => event(at))
    const old = [1, 2, 3].map((n) => event(cursor - OVERLAP_SECONDS - n))
    const relay = await relayWith([...wanted, ...old], { maxPage: 1 })
    const reader = follow(relay, { cursor })
    await reader.until('it is caught up', isCaughtUp)
    expect(new Set(reader.ids())).toEqual(new Set(wanted.map(({ id }) => id)))
  })

  test('is read back to a day before now, where the cursor was kept by a clock that was ahead', async () => {
    const wanted = [10, OVERLAP_SECONDS - 10].map((ago) => event(seconds() - ago))
    const relay = await relayWith(wanted, { maxPage: 1 })
    const reader = follow(relay, { cursor: seconds() + 1_000_000 })
    await reader.until('it is caught up', isCaughtUp)
    expect(new Set(reader.ids())).toEqual(new Set(wanted.map(({ id }) => id)))
  })

  test('what is published later is delivered however old it claims to be', async () => {
    const relay = await relayWith()
    const reader = follow(relay, { cursor: seconds() })
    await reader.until('it is caught up', isCaughtUp)
    const old = event(1_600_000_000)
    await relay.publish(old)
    await reader.until('the old event is delivered', (it) => it.ids().includes(old.id))
  })

  test('an event dated far ahead moves no cursor, and hides nothing', async () => {
    const relay = await relayWith([event(seconds() + 10_000_000), event(seconds() - 5)])
    const reader = follow(relay)
    await reader.until('it is caught up', isCaughtUp)
    expect(new Set(reader.ids()).size).toBe(2)
    expect(Math.max(...reader.cursors)).toBeLessThanOrEqual(seconds())
  })
})

describe('the cursor', () => {
  test('is of the moment before the first question, then moves with each answered ping', async () => {
    const before = seconds()
    const relay = await relayWith([event()])
    const reader = follow(relay, { pingMs: 250 })
    await reader.until('pings were answered', ({ cursors }) => cursors.length > 3)
    expect(reader.cursors[0]).toBeGreaterThanOrEqual(before)
    expect(reader.cursors).toEqual([...reader.cursors].sort((a, b) => a - b))
    expect(reader.cursors.at(-1)).toBeLessThanOrEqual(seconds())
  })

  test('does not move past what was not consumed', async () => {
    const relay = await relayWith([event(seconds() - 1), event()])
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const feed = openRelayFeed({
      url: relay.url,
      clock: systemClock,
      limits: { ...RELAY_LIMITS, pingMs: 250 },
    })
    const reader = readInBackground(feed, { each: () => held })
    cleanUp.push(reader.stop)
    await reader.until('the first event is delivered', ({ items }) => items.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect([reader.items.length, reader.cursors]).toEqual([1, []])
    letGo()
    await reader.until('it is caught up', isCaughtUp)
  })
})

test('nothing but REQ and CLOSE is ever sent, and no event [spec 6 rule 2]', async () => {
  const relay = await relayWith([event(seconds() - 9), event()], { maxPage: 1 })
  const reader = follow(relay)
  await reader.until('it is caught up', isCaughtUp)
  // The reader does not wait for the relay to have read its last message.
  await vi.waitUntil(() => relay.said.some(([kind]) => kind === 'CLOSE'), { timeout: 10_000 })
  const ours = relay.said.filter(([kind]) => kind !== 'EVENT')
  expect(new Set(ours.map(([kind]) => kind))).toEqual(new Set(['REQ', 'CLOSE']))
  // The events are those that this test published.
  expect(relay.said.length - ours.length).toBe(2)
})

test('new events are requested again from time to time', async () => {
  const relay = await relayWith()
  const reader = follow(relay, { pingMs: 250, refreshMs: 300 })
  const asked = () =>
    relay.said.filter(([kind, name]) => kind === 'REQ' && String(name).startsWith('live')).length
  await reader.until('it was asked three times', () => asked() > 2)
  expect(reader.fault).toBeNull()
})

test('a relay that disconnects: the feed says so, and continues when it is back', async () => {
  const [first, second] = [event(seconds() - 3), event()]
  const relay = await relayWith([first])
  const before = follow(relay)
  await before.until('it is caught up', isCaughtUp)
  await relay.stop()
  expect(await before.faulted()).toMatchObject({ trouble: 'unreachable' })
  const away = follow(relay)
  expect(await away.faulted()).toMatchObject({
    trouble: 'unreachable',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  await relay.start()
  await relay.publish(second)
  const [cursor = null] = before.cursors
  const after = follow(relay, { cursor })
  await after.until('it is caught up', isCaughtUp)
  expect(new Set(after.ids())).toEqual(new Set([first.id, second.id]))
})

test('it ends on request, and leaves no connection', async () => {
  const relay = await relayWith([event()])
  const reader = follow(relay)
  await reader.until('it is caught up', isCaughtUp)
  await reader.stop()
  expect(reader.fault).toBeNull()
  await vi.waitUntil(() => relay.connections() === 0, { timeout: 10_000 })
})

test('ended before it has begun, it reports nothing', async () => {
  const relay = await relayWith([event()])
  const feed = openRelayFeed({ url: relay.url, clock: systemClock })
  const batches = []
  for await (const batch of feed.read(null, AbortSignal.abort())) batches.push(batch)
  expect(batches).toEqual([])
})
