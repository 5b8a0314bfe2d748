import { afterEach, beforeEach, expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/ports/log/storage-errors.ts'
import { openTestApp, type TestApp } from '../../support/http/http.ts'
import { openStream } from '../../support/http/stream-client.ts'
import { LiveLifecycle } from '../../support/log/live-lifecycle.ts'
import { bookOf } from '../../support/orders/order-book.ts'

const STREAMS = 3

let it: TestApp
let lifecycle: LiveLifecycle
beforeEach(async () => {
  it = await openTestApp()
  lifecycle = new LiveLifecycle(it.gateway.log, it.gateway.views)
})
afterEach(async () => {
  await lifecycle.close()
  await it.close()
})

test.each([
  [
    'no line, since the store has its own',
    new StorageUnavailableError('io', '', { store: 'redis' }),
    0,
  ],
  ['one line, by a defect', new Error('a defect'), 1],
])('streams that end for one failure have %s', async (_, failure, lines) => {
  const url = `http://127.0.0.1:${await it.listen()}/api/market/activity/stream`
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(url)))
  for (const stream of streams) await stream.nextOf('snapshot')
  it.gateway.views.order = async () => {
    throw failure
  }
  const [order] = bookOf(1, 7)
  if (!order) throw new Error('the book is empty')
  await lifecycle.write(order)
  for (const stream of streams) expect(await stream.next()).toBeNull()
  const told = it.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)
  expect(told).toMatchObject(Array(lines).fill({ err: { message: failure.message } }))
})
