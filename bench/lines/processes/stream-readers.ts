import { connect, type Socket } from 'node:net'
import { quantile } from '../../harness/table.ts'
import { serveParent } from '../../market/wire.ts'

// Readers of streams of changes, in a process of their own: each compares the time in an event's
// data with the machine's clock, which the writer of the change also used.

export interface Readers {
  port: number
  readers: number
  /** Each reader follows one, in turn. */
  sellers: readonly string[]
}

export interface StreamFigures {
  events: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** The last event, as it arrived. */
  frame: string
}

const OPENED_AT_ONCE = 50
const FRAME_END = '\n\n'
const OBSERVED = /"observedAt":"([^"]+)"/

const sockets: Socket[] = []
/** What each stream that has ended sent last. */
const endings: string[] = []
let latencies: number[] = []
let frame = ''
let begun = performance.now()
let lastAt = begun

/** Resolves at the snapshot. */
function open(port: number, seller: string, at: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    sockets.push(socket)
    let tail = ''
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => {
      endings.push(tail)
      reject(new Error(`a stream has ended: ${tail}`))
    })
    socket.on('data', (text: string) => {
      const frames = (tail + text).split(FRAME_END)
      tail = frames.pop() ?? ''
      for (const each of frames) {
        if (each.includes('event: change')) take(each)
        else if (each.includes('event: snapshot')) resolve()
      }
    })
    // As behind a proxy: each is a client of its own, few in one network.
    const client = `11.${at % 250}.${Math.floor(at / 250)}.1`
    const path = `/api/market/activity/stream?limit=1&seller=${seller}`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: ${client}\r\n\r\n`)
  })
}

function take(event: string): void {
  const observed = Date.parse(OBSERVED.exec(event)?.[1] ?? '')
  latencies.push(Date.now() - observed)
  lastAt = performance.now()
  frame = event
}

serveParent({
  open: async ({ port, readers, sellers }: Readers) => {
    for (let from = 0; from < readers; from += OPENED_AT_ONCE) {
      const length = Math.min(OPENED_AT_ONCE, readers - from)
      const opening = Array.from({ length }, (_, at) =>
        open(port, sellers[(from + at) % sellers.length] ?? '', from + at),
      )
      await Promise.all(opening)
    }
  },
  begin: () => {
    latencies = []
    begun = performance.now()
  },
  /**
   * Of all events since `begin`, once that many have arrived; fails where they have not within this
   * time, or a stream has ended: figures of fewer events are no figures of these.
   */
  figures: async ({ events, withinMs }: { events: number; withinMs: number }) => {
    const end = performance.now() + withinMs
    while (latencies.length < events && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 20))
    if (endings.length > 0 || latencies.length < events)
      throw new Error(
        `${latencies.length} of ${events} events arrived, ${endings.length} of ${sockets.length} streams have ended: ${endings[0] ?? ''}`,
      )
    const figures: StreamFigures = {
      events: latencies.length,
      seconds: (lastAt - begun) / 1_000,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      frame: `${frame.slice(frame.indexOf('id: '))}${FRAME_END}`,
    }
    return figures
  },
})
