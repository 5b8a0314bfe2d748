import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A socket that answers as the test says, by the protocol or not. */
export interface RogueRelay {
  readonly url: string
  /** What the client sent, parsed. */
  readonly said: readonly unknown[][]
  /** Connections since the start. */
  readonly connected: number
  close(): Promise<void>
}

export interface RogueManners {
  onConnection?: (socket: WebSocket) => void
  onMessage?: (message: unknown[], socket: WebSocket) => void
  /** Default true: pings are answered. */
  autoPong?: boolean
}

export async function openRogueRelay({
  onConnection = () => {},
  onMessage = () => {},
  autoPong = true,
}: RogueManners): Promise<RogueRelay> {
  const said: unknown[][] = []
  let connected = 0
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, autoPong })
  server.on('connection', (socket) => {
    connected += 1
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      said.push(message)
      onMessage(message, socket)
    })
    onConnection(socket)
  })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    said,
    get connected() {
      return connected
    },
    close: () =>
      new Promise((resolve) => {
        for (const client of server.clients) client.terminate()
        server.close(() => resolve())
      }),
  }
}

/** In a frame of `answering`: the name of the subscription that was requested. */
export const ASKED = Symbol('the subscription that was requested')

/** Sends these messages in answer to every request. */
export const answering =
  (...frames: unknown[][]) =>
  ([kind, name]: unknown[], socket: WebSocket): void => {
    if (kind !== 'REQ') return
    for (const frame of frames) {
      socket.send(JSON.stringify(frame.map((part) => (part === ASKED ? name : part))))
    }
  }
