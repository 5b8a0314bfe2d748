import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebSocket } from 'ws'
import { openRogueRelay } from '../faults/rogue-relay.ts'

/** A relay and an offers server run by strangers: silent until configured. */
export interface RogueFeeds {
  readonly relay: string
  readonly offers: string
  /** What the relay sends to each subscriber from now on; null: nothing. */
  flood(events: (() => object) | null): void
  /** What the offers server answers from now on. */
  offer(body: string | 'drip'): void
  /** What was sent. */
  sent(): { messages: number; bytes: number }
}

/** Messages that may wait on a socket before more are made. */
const MAX_WAITING_BYTES = 1_048_576
const TICK_MS = 20
const A_TICK = 50
const NOTHING = '{"offers":[]}'

export async function openRogueFeeds(): Promise<RogueFeeds> {
  const subscribed = new Map<WebSocket, string>()
  let next: (() => object) | null = null
  let offered = NOTHING
  let [messages, bytes] = [0, 0]

  const relay = await openRogueRelay({
    onMessage: (message, socket) => {
      if (message[0] !== 'REQ') return
      subscribed.set(socket, String(message[1]))
      socket.send(JSON.stringify(['EOSE', message[1]]))
    },
  })
  setInterval(() => {
    if (!next) return
    for (const [socket, subscription] of subscribed) {
      if (socket.readyState !== socket.OPEN) subscribed.delete(socket)
      for (let n = 0; n < A_TICK && socket.bufferedAmount < MAX_WAITING_BYTES; n += 1) {
        const text = JSON.stringify(['EVENT', subscription, next()])
        messages += 1
        bytes += text.length
        socket.send(text)
      }
    }
  }, TICK_MS)

  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    messages += 1
    if (offered === 'drip') {
      const drops = setInterval(() => response.write(' '), 1_000)
      response.once('close', () => clearInterval(drops))
      return
    }
    bytes += offered.length
    response.end(offered)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    relay: relay.url,
    offers: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    flood: (events) => {
      next = events
    },
    offer: (body) => {
      offered = body
    },
    sent: () => ({ messages, bytes }),
  }
}
