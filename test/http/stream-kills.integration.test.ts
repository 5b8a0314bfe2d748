import { expect, test } from 'vitest'
import { openTestApp } from '../support/http/http.ts'
import { openStream } from '../support/http/stream-client.ts'
import { LiveLifecycle } from '../support/log/live-lifecycle.ts'
import { bookOf, dice, STATES } from '../support/orders/order-book.ts'

const KILLS = Number(process.env['STREAM_KILLS'] ?? 100)
const ORDERS = 40
/** Changes written between two kills, at most. */
const WRITTEN = 6
/** Events that a client reads before it is killed, at most. */
const READ = 5

test('a client that is killed repeatedly, at two gateways in turn, misses and repeats nothing', async () => {
  const http = { rateLimits: { stream: 10 * KILLS } }
  const first = await openTestApp({ http })
  const { log, views } = first.gateway
  const second = await openTestApp({ http, ports: { log, views } })
  const lifecycle = new LiveLifecycle(log, views)
  const roll = dice(20)
  const orders = bookOf(ORDERS, 20)
  const bases = await Promise.all(
    [first, second].map(async (app) => `http://127.0.0.1:${await app.listen()}`),
  )
  const openAt = (turn: number, id: string) =>
    openStream(`${bases[turn % 2]}/api/market/activity/stream?includeWithdrawn=true`, {
      ...(id !== '' && { 'last-event-id': id }),
    })
  const told: string[] = []
  const write = async () => {
    const to = roll.chance(0.2) ? {} : { state: roll.of(STATES) }
    const { orderId, seq, kind } = await lifecycle.write(roll.of(orders), to)
    if (kind !== 'verified') told.push(`${orderId}:${seq}`)
  }
  try {
    const received: string[] = []
    let id = ''
    const readFrom = async (stream: Awaited<ReturnType<typeof openStream>>) => {
      const event = await stream.next()
      if (!event || event.event === 'resync-required') throw new Error('the stream ended')
      id = event.id
      if (event.event === 'change') received.push(`${event.data.orderId}:${event.data.seq}`)
    }
    const begun = await openAt(0, '')
    await readFrom(begun)
    begun.kill()
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let n = roll.below(WRITTEN); n > 0; n -= 1) await write()
      const stream = await openAt(kill, id)
      for (let n = roll.below(READ); n > 0 && received.length < told.length; n -= 1) {
        await readFrom(stream)
      }
      stream.kill()
    }
    const last = await openAt(KILLS, id)
    while (received.length < told.length) await readFrom(last)
    last.kill()
    const ofEach = (changes: readonly string[]) =>
      orders.map(({ id: order }) => changes.filter((change) => change.startsWith(order)))
    expect(ofEach(received)).toEqual(ofEach(told))
  } finally {
    await lifecycle.close()
    await second.close()
    await first.close()
  }
}, 240_000)
