import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import {
  openRelayFeed,
  RELAY_LIMITS,
  type RelayLimits,
} from '../../../src/adapters/nostr/relay-feed.ts'
import type { FeedBatch } from '../../../src/ports/feeds/order-feed.ts'
import {
  ASKED,
  answering,
  openRogueRelay,
  type RogueManners,
  type RogueRelay,
} from '../../support/faults/rogue-relay.ts'
import { type FeedReader, readInBackground } from '../../support/log/feed-reader.ts'
import { saleEvent } from '../../support/orders/sale-event.ts'
import { systemClock } from '../../support/system-clock.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end()
})

interface FollowOptions extends Partial<RelayLimits> {
  each?: (batch: FeedBatch) => Promise<void>
}

function followUrl(url: string, { each, ...limits }: FollowOptions = {}): FeedReader {
  const feed = openRelayFeed({ url, clock: systemClock, limits: { ...RELAY_LIMITS, ...limits } })
  const reader = readInBackground(feed, each && { each })
  cleanUp.push(reader.stop)
  return reader
}

async function follow(
  manners: RogueManners,
  options: FollowOptions = {},
): Promise<{ reader: FeedReader; relay: RogueRelay }> {
  const relay = await openRogueRelay(manners)
  cleanUp.push(relay.close)
  return { relay, reader: followUrl(relay.url, options) }
}

const EOSE = ['EOSE', ASKED]
const sale = saleEvent('content', [])
const later = saleEvent('later', [])
const heap = () => process.memoryUsage().heapUsed + process.memoryUsage().external

describe('a relay that lies', () => {
  test.each([
    ['not JSON', '{"EVENT'],
    ['not an array', '{"EVENT":1}'],
    ['nothing', ''],
    ['an unknown word', '["HELLO","live"]'],
    ['an event for an unknown subscription', JSON.stringify(['EVENT', 'other', sale])],
    ['an event of another kind', JSON.stringify(['EVENT', 'live', { ...sale, kind: 1 }])],
    ['an event whose kind is text', JSON.stringify(['EVENT', 'live', { ...sale, kind: '802' }])],
    ['an event without an id', JSON.stringify(['EVENT', 'live', { ...sale, id: undefined }])],
    ['an id in capitals', JSON.stringify(['EVENT', 'live', { ...sale, id: 'A'.repeat(64) }])],
    ['an invalid time', JSON.stringify(['EVENT', 'live', { ...sale, created_at: 1.5 }])],
    ['an event that is null', '["EVENT","live",null]'],
    ['a list 100,000 deep', '['.repeat(100_000)],
    ['a list 100,000 deep that ends', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a prototype', '["EVENT","live",{"__proto__":{"id":"x"}}]'],
  ])('says %s: that is counted as a lie, and what follows is delivered', async (_name, text) => {
    const { reader } = await follow({
      onMessage: (message, socket) => {
        if (message[0] === 'REQ' && message[1] === 'live') socket.send(text)
        answering(['EVENT', 'live', later], EOSE)(message, socket)
      },
    })
    await reader.until('the next event is delivered', (it) => it.ids().includes(later.id))
    expect(reader.items.filter(({ kind }) => kind === 'lie')).toHaveLength(1)
    expect(reader.fault).toBeNull()
  })

  test('about the end of what was not requested: it is not taken for the end', async () => {
    const { reader } = await follow({ onMessage: answering(['EOSE', 'older'], ['EOSE', 'x']) })
    await reader.until('it was read', ({ items }) => items.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([reader.cursors, reader.fault]).toEqual([[], null])
  })

  test('of pages that never end: new events are delivered all the same, and the cursor stays', async () => {
    let n = 0
    const { reader } = await follow(
      {
        onMessage: (message, socket) => {
          if (message[0] !== 'REQ') return
          const { until } = message[2] as { until?: number }
          const next = { ...sale, id: (++n).toString(16).padStart(64, '0') }
          const createdAt = (until ?? 1_700_000_000) - 1
          socket.send(JSON.stringify(['EVENT', message[1], { ...next, created_at: createdAt }]))
          socket.send(JSON.stringify(['EOSE', message[1]]))
          if (n === 50) socket.send(JSON.stringify(['EVENT', 'live', later]))
        },
      },
      { rate: { perSecond: 1_000, burst: 10 } },
    )
    await reader.until('the new event is delivered', (it) => it.ids().includes(later.id))
    expect(reader.cursors).toEqual([])
  })

  test('that ignores the request: it is not asked forever', async () => {
    const { reader, relay } = await follow({
      onMessage: (message, socket) => {
        const [kind, name] = message
        if (kind === 'REQ') answering(['EVENT', name, sale], ['EOSE', name])(message, socket)
      },
    })
    await reader.until('it is caught up', ({ cursors }) => cursors.length > 0)
    // New events and the first page, then to the second after the one that it begins in, to that,
    // and to the one before.
    expect(relay.said.filter(([kind]) => kind === 'REQ')).toHaveLength(5)
  })
})

describe('a relay that floods', () => {
  const flood = (send: (socket: WebSocket) => void) => ({
    onConnection: (socket: WebSocket) => {
      const more = () => {
        if (socket.readyState !== socket.OPEN) return
        for (let n = 0; n < 100 && socket.bufferedAmount < 2 ** 22; n += 1) send(socket)
        setImmediate(more)
      }
      more()
    },
  })
  const big = JSON.stringify(['EVENT', 'live', { ...sale, content: 'x'.repeat(200_000) }])

  test('is read at the allowed rate, and takes no memory for the rest', async () => {
    const before = heap()
    const begun = performance.now()
    const { reader } = await follow(
      flood((socket) => socket.send(big)),
      { rate: { perSecond: 50, burst: 10 } },
    )
    await reader.until('some of it is delivered', ({ items }) => items.length > 60)
    const seconds = (performance.now() - begun) / 1_000
    expect(reader.items.length).toBeLessThanOrEqual(10 + 50 * seconds + 1)
    expect(reader.fault).toBeNull()
    expect(heap() - before).toBeLessThan(100 * 2 ** 20)
  })

  test('by default has no burst to begin with', async () => {
    const begun = performance.now()
    const { reader } = await follow(
      flood((socket) => socket.send(JSON.stringify(['EVENT', 'live', sale]))),
      {},
    )
    await reader.until('more than a burst is delivered', ({ items }) => items.length > 150)
    const seconds = (performance.now() - begun) / 1_000
    expect(reader.items.length).toBeLessThanOrEqual(100 + 100 * seconds + 1)
  })

  test('a reader that consumes nothing is sent nothing more', async () => {
    let sent = 0
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { reader } = await follow(
      flood((socket) => {
        socket.send(big)
        sent += 1
      }),
      { each: () => held },
    )
    cleanUp.push(async () => letGo())
    await reader.until('something is delivered', ({ items }) => items.length > 0)
    // What the buffers of both sockets hold is sent, and no more; the system may widen them meanwhile.
    let before = Number.NaN
    let sinceMs = performance.now()
    await reader.until('nothing more is sent for a second', () => {
      if (sent !== before) sinceMs = performance.now()
      before = sent
      return performance.now() - sinceMs > 1_000
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(sent).toBe(before)
    expect(reader.items).toHaveLength(1)
  })

  test.each<[string, (socket: WebSocket) => void]>([
    ['one event again and again', (socket) => socket.send(JSON.stringify(['EVENT', 'live', sale]))],
    ['pings', (socket) => socket.ping()],
    ['pongs', (socket) => socket.pong()],
    ['binary messages', (socket) => socket.send(Buffer.alloc(0))],
  ])('of %s: each is reported, with the fact that more are waiting', async (_name, send) => {
    let behind = 0
    const { reader } = await follow(flood(send), {
      rate: { perSecond: 1_000, burst: 10 },
      each: async ({ isBehind }) => {
        behind = isBehind ? behind + 1 : 0
      },
    })
    await reader.until('it is behind for long', () => behind > 500)
    expect(reader.fault).toBeNull()
  })

  test.each<[string, Partial<RelayLimits>, (socket: WebSocket) => void]>([
    ['pings', { maxWaiting: { messages: 100, characters: 1e6 } }, (socket) => socket.ping()],
    [
      'characters',
      { maxWaiting: { messages: 1e6, characters: 1e6 } },
      (socket) => socket.send('x'.repeat(10_000)),
    ],
  ])('with %s faster than it can be made to wait: the connection ends', async (_, limits, send) => {
    const { reader } = await follow(flood(send), {
      pauseAt: { messages: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY },
      rate: { perSecond: 1, burst: 1 },
      ...limits,
    })
    expect(await reader.faulted()).toMatchObject({
      trouble: 'flood',
      message: 'more than 100 messages were waiting',
    })
  })
})

describe('a relay that sends a lot at once', () => {
  test('more than is read: the connection ends', async () => {
    const { reader } = await follow({ onMessage: answering(['NOTICE', 'x'.repeat(2 ** 20)]) })
    expect(await reader.faulted()).toMatchObject({ trouble: 'too_large' })
  })

  test('in many pieces of one message: the connection ends', async () => {
    const { reader } = await follow({
      onConnection: (socket) => {
        for (let n = 0; n < 2_000; n += 1) socket.send('[', { fin: false })
      },
    })
    expect(await reader.faulted()).toMatchObject({ trouble: 'too_large' })
  })

  test('more than an order needs: that is not parsed, and what follows is delivered', async () => {
    const huge = { ...sale, content: 'x'.repeat(2 ** 18) }
    const { reader } = await follow({
      onMessage: answering(['EVENT', 'live', huge], ['EVENT', 'live', later], EOSE),
    })
    await reader.until('the next event is delivered', (it) => it.ids().includes(later.id))
    expect(reader.items[0]).toMatchObject({ kind: 'oversized' })
    expect(reader.fault).toBeNull()
  })
})

describe('a relay that hangs', () => {
  async function tcp(onConnection: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>()
    const server = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      onConnection(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUp.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  test('before it is connected: no connection, and the process survives', async () => {
    const reader = followUrl(await tcp(() => {}), { connectMs: 100 })
    expect(await reader.faulted()).toMatchObject({ trouble: 'unreachable' })
    await new Promise((resolve) => setTimeout(resolve, 200))
  })

  test('during the handshake, a byte at a time: no connection', async () => {
    const url = await tcp((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nx: ')
      const drip = setInterval(() => socket.writable && socket.write('x'), 10)
      socket.on('close', () => clearInterval(drip))
    })
    const reader = followUrl(url, { connectMs: 200 })
    expect(await reader.faulted()).toMatchObject({ trouble: 'unreachable' })
  })

  test('after the request, but answers pings: silent, with what it said instead', async () => {
    const { reader } = await follow(
      { onMessage: answering(['NOTICE', 'ERROR: bad req: unknown filter']) },
      { pingMs: 250, answerMs: 1_000 },
    )
    expect(await reader.faulted()).toMatchObject({
      trouble: 'silent',
      message: 'no stored events received, but a notice: ERROR: bad req: unknown filter',
    })
  })

  test('before the end of what is read slowly: it does not count as silent', async () => {
    const events = Array.from({ length: 60 }, () => ['EVENT', 'live', sale])
    const { reader } = await follow(
      {
        onMessage: (message, socket) => {
          const isFirst = message[1] === 'live'
          answering(...(isFirst ? events : []), ['EOSE', message[1]])(message, socket)
        },
      },
      { answerMs: 500, rate: { perSecond: 50, burst: 1 } },
    )
    await reader.until(
      'it is caught up',
      ({ cursors, fault }) => cursors.length > 0 || fault !== null,
    )
    expect([reader.items.length, reader.fault]).toEqual([60, null])
  })

  test('after the request, and sends nothing: silent', async () => {
    const { reader } = await follow({}, { answerMs: 200 })
    expect(await reader.faulted()).toMatchObject({
      trouble: 'silent',
      message: 'no stored events received',
    })
  })

  test('later on, and answers no ping: silent', async () => {
    const { reader } = await follow({ onMessage: answering(EOSE), autoPong: false }, { pingMs: 50 })
    expect(await reader.faulted()).toMatchObject({
      trouble: 'silent',
      message: 'no message for 50 ms',
    })
    expect(reader.cursors).toHaveLength(1)
  })

  test('later on, and answers pings with something else: its cursor stays', async () => {
    const { reader } = await follow(
      {
        onMessage: answering(EOSE),
        onConnection: (socket) => socket.on('ping', () => socket.pong('99')),
        autoPong: false,
      },
      { pingMs: 250 },
    )
    await reader.until('it is caught up', ({ cursors }) => cursors.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect([reader.cursors.length, reader.fault]).toEqual([1, null])
  })
})

describe('a relay that does not serve', () => {
  test('closes the subscription: declined, in its own words, cut short', async () => {
    const { reader } = await follow({
      onMessage: answering(['CLOSED', 'live', `auth-required: ${'x'.repeat(500)}`]),
    })
    const { trouble, message } = await reader.faulted()
    expect([trouble, message.length]).toEqual(['declined', 'the relay said: '.length + 200])
    expect(message).toMatch(/^the relay said: auth-required: x+$/)
  })

  test('asks for authentication: it gets no answer', async () => {
    const { reader, relay } = await follow({
      onConnection: (socket) => socket.send(JSON.stringify(['AUTH', 'challenge'])),
      onMessage: answering(EOSE),
    })
    await reader.until('it is caught up', ({ cursors }) => cursors.length > 0)
    expect(new Set(relay.said.map(([kind]) => kind))).toEqual(new Set(['REQ', 'CLOSE']))
  })

  test('confirms the closing of a subscription: that is not a refusal', async () => {
    const { reader } = await follow({
      onMessage: (message, socket) => {
        const [kind, name] = message
        if (kind === 'CLOSE') socket.send(JSON.stringify(['CLOSED', name, '']))
        if (kind === 'CLOSE') socket.send(JSON.stringify(['EVENT', 'live', later]))
        if (kind !== 'REQ') return
        if (name === 'live') socket.send(JSON.stringify(['EVENT', 'live', sale]))
        socket.send(JSON.stringify(['EOSE', name]))
      },
    })
    await reader.until('the next event is delivered', (it) => it.ids().includes(later.id))
    expect(reader.fault).toBeNull()
  })

  test('redirects: the redirect is not followed', async () => {
    let visits = 0
    const onConnection = () => {
      visits += 1
    }
    const there = await openRogueRelay({ onConnection })
    cleanUp.push(there.close)
    const server = createServer()
    server.on('upgrade', (_request, socket) => {
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${there.url}\r\nContent-Length: 0\r\n\r\n`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanUp.push(async () => server.close())
    const reader = followUrl(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect(await reader.faulted()).toMatchObject({
      trouble: 'unreachable',
      message: 'Unexpected server response: 302',
    })
    expect(visits).toBe(0)
  })
})
