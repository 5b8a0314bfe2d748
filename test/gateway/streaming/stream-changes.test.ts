import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChangedOrders } from '../../../src/gateway/streaming/changed-orders.ts'
import { QueryFollowers } from '../../../src/gateway/streaming/query-followers.ts'
import { type StreamEvents, streamChanges } from '../../../src/gateway/streaming/stream-changes.ts'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { StreamChange, StreamRequest } from '../../../src/schemas/api/stream.ts'
import type { OrderRecord } from '../../../src/schemas/order-record.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'
import { LiveLifecycle } from '../../support/log/live-lifecycle.ts'
import { bookOf } from '../../support/orders/order-book.ts'

// Streams of one query on the embedded log and views, read as slowly as the test wants.

const MANY = 20

let app: TestApp
let lifecycle: LiveLifecycle
let sources: { changed: ChangedOrders; followers: QueryFollowers }
let stop: AbortController
let order: OrderRecord
beforeEach(async () => {
  app = await openTestApp()
  lifecycle = new LiveLifecycle(app.gateway.log, app.gateway.views)
  sources = { changed: new ChangedOrders(app.gateway), followers: new QueryFollowers() }
  stop = new AbortController()
  const [first] = bookOf(1, 7)
  if (!first) throw new Error('the book is empty')
  order = first
  await lifecycle.write(order)
  await expect.poll(async () => (await app.gateway.views.order(order.id))?.order.id).toBe(order.id)
})
afterEach(async () => {
  stop.abort()
  await lifecycle.close()
  await app.close()
})

async function open(signal = stop.signal): Promise<StreamEvents> {
  const request = StreamRequest.parse({ includeWithdrawn: 'true' })
  const stream = await streamChanges(app.gateway, sources, request, signal)
  const { value } = await stream.next()
  expect(value).toMatchObject([{ event: 'snapshot' }])
  return stream
}

let isLive = true
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

/** The next changes of a stream, in as many reads as they take. */
async function read(stream: StreamEvents, count: number): Promise<number[]> {
  const seqs: number[] = []
  while (seqs.length < count) {
    const { value } = await stream.next()
    for (const { event, data } of value ?? []) {
      expect(event).toBe('change')
      seqs.push(StreamChange.parse(JSON.parse(data)).seq)
    }
  }
  return seqs
}

test('many readers at once get a change by one step', async () => {
  const streams = await Promise.all(Array.from({ length: MANY }, () => open()))
  // Each is where the follower is.
  const [first] = await change(1)
  for (const stream of streams) expect(await read(stream, 1)).toEqual([first])
  const { encode } = app.gateway.cursors
  let ids = 0
  app.gateway.cursors.encode = (query, position) => {
    ids += 1
    return encode(query, position)
  }
  const all = streams.map((stream) => read(stream, 1))
  const [second] = await change(1)
  expect(await Promise.all(all)).toEqual(streams.map(() => [second]))
  expect(ids).toBe(1)
})

test('one that does not read for a while gets everything later, once and in order', async () => {
  const [quick, slow] = [await open(), await open()]
  const begun = await change(1)
  expect(await read(quick, 1)).toEqual(begun)
  expect(await read(slow, 1)).toEqual(begun)
  const missed: number[] = []
  for (let step = 0; step < 10; step += 1) {
    const seqs = await change(1)
    // More steps than are kept: each is a read of its own.
    expect(await read(quick, 1)).toEqual(seqs)
    missed.push(...seqs)
  }
  expect(await read(slow, missed.length)).toEqual(missed)
  const late = await change(3)
  expect(await read(slow, 3)).toEqual(late)
  expect(await read(quick, 3)).toEqual(late)
})

test('one that comes later, or stays alone, gets what changes from then on', async () => {
  const leaving = new AbortController()
  const first = await open(leaving.signal)
  const before = await change(2)
  expect(await read(first, 2)).toEqual(before)
  const later = await open()
  leaving.abort()
  const after = await change(2)
  expect(await read(later, 2)).toEqual(after)
  expect(await first.next()).toMatchObject({ done: true })
})

test('views that cannot be read end all of them; a new one starts over', async () => {
  const streams = [await open(), await open()]
  const { order: readOrder } = app.gateway.views
  app.gateway.views.order = async () => {
    throw new StorageUnavailableError('io', 'away')
  }
  const reading = streams.map((stream) => stream.next())
  await change(1)
  for (const one of reading) await expect(one).rejects.toBeInstanceOf(StorageUnavailableError)
  app.gateway.views.order = readOrder
  const again = await open()
  const [seq] = await change(1)
  expect(await read(again, 1)).toEqual([seq])
})
