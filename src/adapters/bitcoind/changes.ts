import type { NodeChange } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createZmqDecoder, ZMQ_TOPICS } from './zmq-frames.ts'

export interface ChangesOptions {
  /** Endpoints that publish `sequence` and `rawtx`, each topic on one of them; empty: polling. */
  zmqUrls: readonly string[]
  pollMs: number
  clock: Clock
  signal: AbortSignal
}

/** A slow reader may fall this many messages behind before any is dropped. */
const HIGH_WATER_MARK = 100_000
/** Only a poll detects the loss of the very last message of a burst, or of a connection. */
const QUIET_MS = 30_000

/** As `FullNode.changes`: pushes if endpoints are given and zeromq is installed, else polls. */
export async function* nodeChanges(options: ChangesOptions): AsyncGenerator<NodeChange> {
  if (options.zmqUrls.length === 0) return yield* poll(options)
  const zmq = await import('zeromq').catch(() => null)
  if (zmq !== null) return yield* subscribe(options, zmq)
  yield { kind: 'gap', detail: 'the package zeromq is not installed, so the mempool is polled' }
  yield* poll(options)
}

async function* poll({ clock, pollMs, signal }: ChangesOptions): AsyncGenerator<NodeChange> {
  while (!signal.aborted) {
    yield { kind: 'poll', isAlone: true }
    await clock.sleep(pollMs, signal)
  }
}

/**
 * A subscription starts silently and late, its publisher may be absent or mute, and a connection may
 * be lost without a word. So until the first change, again after each disconnection, and once no
 * change has come for a while, the node is polled as if it pushed nothing. A body of a transaction is
 * no change: a node may publish those alone.
 */
async function* subscribe(
  { zmqUrls, pollMs, clock, signal }: ChangesOptions,
  { Subscriber }: typeof import('zeromq'),
): AsyncGenerator<NodeChange> {
  const socket = new Subscriber({
    receiveHighWaterMark: HIGH_WATER_MARK,
    receiveTimeout: pollMs,
    linger: 0,
  })
  let decode = createZmqDecoder()
  let disconnected = false
  socket.events.on('disconnect', () => {
    disconnected = true
  })
  const close = () => socket.close()
  signal.addEventListener('abort', close)
  try {
    socket.subscribe(...ZMQ_TOPICS)
    for (const url of zmqUrls) socket.connect(url)
    yield { kind: 'poll', isAlone: true }
    let pushing = false
    let lastChange = clock.monotonic()
    let lastPoll = lastChange
    while (!signal.aborted) {
      const frames = await socket.receive().catch(silence)
      if (disconnected) {
        disconnected = false
        pushing = false
        // After a restart of the node, its counters may happen to continue the old ones.
        decode = createZmqDecoder()
        yield { kind: 'gap', detail: 'zmq: the connection to the node was lost' }
      }
      const changes = frames === null ? [] : decode(frames)
      const now = clock.monotonic()
      if (changes.length > 0) {
        pushing = true
        lastChange = now
        yield* changes
      } else {
        if (now - lastChange >= QUIET_MS) pushing = false
        const isDue = !pushing && (frames === null || now - lastPoll >= pollMs)
        if (!isDue || signal.aborted) continue
        lastPoll = now
        yield { kind: 'poll', isAlone: true }
      }
    }
  } finally {
    signal.removeEventListener('abort', close)
    socket.close()
  }
}

/** Null if nothing came in time, or if the socket was closed during the wait. */
function silence(error: NodeJS.ErrnoException): null {
  if (error.code === 'EAGAIN') return null
  throw error
}
