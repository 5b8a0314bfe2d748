import WebSocket from 'ws'
import { FeedError } from '../../ports/feeds/order-feed.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type RelayMessage, WaitingFrames } from './waiting-frames.ts'

export interface SocketLimits {
  /** Bytes of one message; a larger one ends the connection. */
  maxFrameBytes: number
  /** Queued messages, and their characters, at which reading from the relay pauses. */
  pauseAt: { messages: number; characters: number }
  /** A queue above this shows that pausing does not help: the connection ends. */
  maxWaiting: { messages: number; characters: number }
  connectMs: number
  /** Milliseconds between two pings; a relay silent for that long is disconnected. */
  pingMs: number
}

/** A connection to one relay. Its input is bounded before any of it is parsed. */
export interface RelaySocket {
  send(frame: readonly unknown[]): void
  /**
   * The next message, `late` when none came for `ms` milliseconds, null after the signal aborted.
   *
   * @throws FeedError when the connection has ended
   */
  next(ms: number): Promise<RelayMessage | 'late' | null>
  /** Messages are queued, or reading is paused. */
  readonly isBehind: boolean
  close(): void
}

/** Bytes of pong replies that may wait for a relay that does not read. */
const MAX_UNREAD_BYTES = 65_536
const MAX_FRAGMENTS = 1_024
/** The codes of `ws` for these faults. */
const TOO_LARGE: ReadonlySet<unknown> = new Set([
  'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH',
  'WS_ERR_TOO_MANY_BUFFERED_PARTS',
])

/** Resolves when connected. No redirects, no decompression. Throws `FeedError`. */
export async function openRelaySocket(
  url: string,
  limits: SocketLimits,
  clock: Clock,
  signal: AbortSignal,
): Promise<RelaySocket> {
  const frames = new WaitingFrames()
  const socket = new WebSocket(url, {
    maxPayload: limits.maxFrameBytes,
    maxFragments: MAX_FRAGMENTS,
    handshakeTimeout: limits.connectMs,
    followRedirects: false,
    perMessageDeflate: false,
    autoPong: false,
  })
  const pings = new Pings(socket, limits.pingMs, clock, (fault) => finish(fault))

  /** Only the first reason for ending counts. */
  function finish(fault: FeedError | null): void {
    signal.removeEventListener('abort', abort)
    pings.stop()
    if (fault?.trouble === 'flood' || fault === null) frames.drop(fault)
    else frames.end(fault)
    socket.terminate()
  }
  const abort = () => finish(null)

  function receive(message: RelayMessage): void {
    frames.push(message)
    pings.received()
    const { pauseAt, maxWaiting } = limits
    if (frames.count > maxWaiting.messages || frames.characters > maxWaiting.characters) {
      finish(new FeedError('flood', `more than ${frames.count - 1} messages were waiting`))
    } else if (frames.count >= pauseAt.messages || frames.characters >= pauseAt.characters) {
      socket.pause()
    }
  }

  // This listener stays for good: an unhandled `error` event would end the process.
  socket.on('error', (error) => finish(faultOf(error)))
  socket.on('close', (code) =>
    finish(new FeedError('unreachable', `the relay closed the connection (${code})`)),
  )
  socket.on('message', (data, isBinary) =>
    receive(isBinary ? { kind: 'binary' } : { kind: 'text', text: String(data) }),
  )
  socket.on('ping', (data) => {
    receive({ kind: 'noise' })
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MAX_UNREAD_BYTES) {
      socket.pong(data)
    }
  })
  socket.on('pong', (data) => {
    const pingedAt = pings.answered(String(data))
    receive(pingedAt === null ? { kind: 'noise' } : { kind: 'pong', pingedAt })
  })

  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  await opened(socket, limits.connectMs, clock, finish)
  return {
    send: (frame) => socket.send(JSON.stringify(frame)),
    next: async (ms) => {
      if (frames.count === 0 && socket.isPaused && socket.readyState === WebSocket.OPEN) {
        socket.resume()
      }
      return frames.next(clock, ms)
    },
    get isBehind() {
      return frames.count > 0 || socket.isPaused
    },
    close: () => finish(null),
  }
}

/** Bounds the handshake, however slow the other side is. Never rejects: `next` reports the end. */
async function opened(
  socket: WebSocket,
  ms: number,
  clock: Clock,
  finish: (fault: FeedError) => void,
): Promise<void> {
  const settled = new AbortController()
  for (const event of ['open', 'close']) socket.once(event, () => settled.abort())
  if (socket.readyState === WebSocket.CLOSED) return
  await clock.sleep(ms, settled.signal)
  if (socket.readyState === WebSocket.CONNECTING) {
    finish(new FeedError('unreachable', `no connection within ${ms} ms`))
  }
}

/** Checks that the relay is alive: one that sends nothing from one ping to the next is not. */
class Pings {
  readonly #timer: NodeJS.Timeout
  #asked: { payload: string; at: number } | null = null
  #wasHeard = true
  #count = 0

  constructor(socket: WebSocket, ms: number, clock: Clock, fail: (fault: FeedError) => void) {
    this.#timer = setInterval(() => {
      // Nothing is read while paused: the relay's answer may be waiting.
      if (socket.readyState !== WebSocket.OPEN || socket.isPaused) return
      if (!this.#wasHeard) return fail(new FeedError('silent', `no message for ${ms} ms`))
      this.#wasHeard = false
      // The pong may be queued behind much that is read first.
      this.#asked ??= { payload: String(++this.#count), at: Math.floor(clock.now() / 1_000) }
      socket.ping(this.#asked.payload)
    }, ms)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  received(): void {
    this.#wasHeard = true
  }

  /** When this ping was sent, Unix seconds; null if it was not. */
  answered(payload: string): number | null {
    if (this.#asked?.payload !== payload) return null
    const { at } = this.#asked
    this.#asked = null
    return at
  }
}

function faultOf(error: Error): FeedError {
  const isTooLarge = 'code' in error && TOO_LARGE.has(error.code)
  return new FeedError(isTooLarge ? 'too_large' : 'unreachable', error.message, { cause: error })
}
