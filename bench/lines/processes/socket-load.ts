import { connect, type Socket } from 'node:net'
import { quantile } from '../../harness/table.ts'
import { serveParent } from '../../market/wire.ts'

// A client in a process of its own, on bare sockets: it writes ready-made requests, one in flight
// on each connection, and reads only the status and length of each answer. So it costs a fraction
// of the server's work, and does not limit the measurement.

export interface Load {
  port: number
  connections: number
  paths: readonly string[]
  ms: number
}

/** Every path once, one after another, on one connection. */
export interface Walk {
  port: number
  paths: readonly string[]
}

export interface LoadFigures {
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  bytes: number
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i
const CLOSES = /\r\nconnection: close\r\n/i
const STATUS = /^HTTP\/1\.1 (\d{3}) /

/** As behind a proxy: each connection is a client of its own, each in a different network. */
const requestOf = (path: string, connection: number): string =>
  `GET ${path} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: 11.0.${connection % 256}.1\r\n\r\n`

/**
 * One connection: sends a request, reads the whole answer, repeats; reconnects when it is closed.
 */
class Reader {
  readonly #next: () => string
  readonly #port: number
  readonly latencies: number[] = []
  bytes = 0
  #socket: Socket | null = null
  #asked = 0
  /** Of the answer being read; -1: its head is not complete. */
  #missing = -1
  #head = ''
  #closes = false
  #done: (() => void) | null = null
  #failed: (error: Error) => void = () => {}

  constructor(port: number, next: () => string) {
    this.#port = port
    this.#next = next
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve
      this.#failed = reject
      this.#open()
    })
  }

  #open(): void {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    socket.on('connect', () => this.#ask())
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#failed(error))
  }

  #ask(): void {
    const request = this.#next()
    if (request === '') {
      this.#socket?.destroy()
      this.#done?.()
      return
    }
    this.#asked = performance.now()
    this.#missing = -1
    this.#head = ''
    this.#socket?.write(request, 'latin1')
  }

  #read(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#missing < 0) {
      this.#head += chunk.toString('latin1')
      const end = this.#head.indexOf(HEAD_END)
      if (end < 0) return
      const head = this.#head.slice(0, end + 2)
      const status = STATUS.exec(head)?.[1]
      if (status !== '200') {
        this.#failed(new Error(`answered ${status}: ${this.#head.slice(end)}`))
        return
      }
      this.#closes = CLOSES.test(head)
      this.#missing = Number(LENGTH.exec(head)?.[1]) - (this.#head.length - end - HEAD_END.length)
    } else {
      this.#missing -= chunk.length
    }
    if (this.#missing > 0) return
    this.latencies.push(performance.now() - this.#asked)
    if (!this.#closes) this.#ask()
    else {
      this.#socket?.destroy()
      this.#open()
    }
  }
}

serveParent({
  /** Milliseconds of each. */
  walk: async ({ port, paths }: Walk): Promise<number[]> => {
    const left = paths.values()
    const reader = new Reader(port, () => {
      const { value, done } = left.next()
      return done ? '' : requestOf(value, 0)
    })
    await reader.run()
    return reader.latencies
  },
  run: async ({ port, connections, paths, ms }: Load): Promise<LoadFigures> => {
    const begun = performance.now()
    const readers = Array.from({ length: connections }, (_, at) => {
      return new Reader(port, () => {
        if (performance.now() - begun >= ms) return ''
        return requestOf(paths[Math.floor(Math.random() * paths.length)] ?? '', at)
      })
    })
    await Promise.all(readers.map((reader) => reader.run()))
    const seconds = (performance.now() - begun) / 1_000
    const latencies = readers.flatMap((reader) => reader.latencies)
    return {
      requests: latencies.length,
      perSecond: latencies.length / seconds,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      bytes: readers.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  },
})
