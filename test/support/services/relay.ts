import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Event, EventRepository, EventUtils, type Filter, LogLevel } from '@nostr-relay/common'
import { NostrRelay } from '@nostr-relay/core'
import WebSocket, { WebSocketServer } from 'ws'

/** A relay on a port of its own; it keeps its events and its port while it is down. */
export interface TestRelay {
  readonly url: string
  /** What clients sent, parsed. */
  readonly said: readonly unknown[][]
  /** Over a socket, as a wallet does it; throws with the relay's answer to a refusal. */
  publish(event: Event): Promise<void>
  /** Open connections. */
  connections(): number
  stop(): Promise<void>
  start(): Promise<void>
}

export interface TestRelayOptions {
  /** The most events it returns at once, whatever limit the request has. */
  maxPage?: number
}

/** `@nostr-relay/core` on a socket, with its events in memory. */
export async function openTestRelay({
  maxPage = 1_000,
}: TestRelayOptions = {}): Promise<TestRelay> {
  const events = new MemoryEvents(maxPage)
  const said: unknown[][] = []
  let server: Server | null = null
  let sockets: WebSocketServer | null = null
  let port = 0

  const start = async () => {
    const relay = new NostrRelay(events, { filterResultCacheTtl: 0, logLevel: LogLevel.ERROR })
    const http = createServer()
    const listening = new WebSocketServer({ server: http })
    listening.on('connection', (socket) => {
      relay.handleConnection(socket)
      socket.on('message', (data) => {
        const message = JSON.parse(String(data))
        said.push(message)
        void relay.handleMessage(socket, message)
      })
      socket.on('close', () => relay.handleDisconnect(socket))
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
    port = (http.address() as AddressInfo).port
    server = http
    sockets = listening
  }
  await start()

  return {
    get url() {
      return `ws://127.0.0.1:${port}/`
    },
    said,
    publish: (event) => publish(`ws://127.0.0.1:${port}/`, event),
    connections: () => sockets?.clients.size ?? 0,
    start,
    stop: async () => {
      for (const client of sockets?.clients ?? []) client.terminate()
      await new Promise<void>((resolve) => sockets?.close(() => resolve()) ?? resolve())
      await new Promise<void>((resolve) => server?.close(() => resolve()) ?? resolve())
      server = sockets = null
    },
  }
}

class MemoryEvents extends EventRepository {
  readonly #events = new Map<string, Event>()
  readonly #maxPage: number

  constructor(maxPage: number) {
    super()
    this.#maxPage = maxPage
  }

  isSearchSupported(): boolean {
    return false
  }

  upsert(event: Event): { isDuplicate: boolean } {
    const isDuplicate = this.#events.has(event.id)
    this.#events.set(event.id, event)
    return { isDuplicate }
  }

  /** NIP-01: newest first, and at equal times the lower id first. */
  find(filter: Filter): Event[] {
    return [...this.#events.values()]
      .filter((event) => EventUtils.isMatchingFilter(event, filter))
      .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
      .slice(0, Math.min(filter.limit ?? this.#maxPage, this.#maxPage))
  }

  async destroy(): Promise<void> {}
}

async function publish(url: string, event: Event): Promise<void> {
  const socket = new WebSocket(url)
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('open', () => socket.send(JSON.stringify(['EVENT', event])))
      socket.on('message', (data) => {
        const [kind, , isTaken, message] = JSON.parse(String(data))
        if (kind !== 'OK') return
        if (isTaken) resolve()
        else reject(new Error(message))
      })
    })
  } finally {
    socket.terminate()
  }
}
