import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'

/** The result of an attack, as the attacker saw it. */
export interface Tally {
  requests: number
  bytes: number
  /** Answers by their status. */
  statuses: Record<string, number>
  /** Connections that ended without an answer. */
  unanswered: number
  /** Answers of 5xx other than a 503 with Retry-After or a late verdict: status, path, body. */
  faults: string[]
  /** Verdicts that took longer than a client waits (504). */
  late: number
  ms: number
}

/** Their 503 is a state, and has no Retry-After (pairing spec, errors). */
const WITHHOLDS = /^\/(?:ready|pairing\/readiness|pairing\/verified\/.*)$/

export interface Limit {
  requests: number
  ms: number
  /** Requests in flight. */
  atOnce: number
}

export interface Sending {
  method?: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  body?: object | string | Buffer
  headers?: Record<string, string>
}

const ANSWER_MS = 30_000
const MAX_FAULTS = 10
/** The last letters of a stream's first event, where its end is looked for. */
const FIRST_EVENT = 100

/** An attacker with any number of addresses, bounded in count and time. */
export class Stranger {
  readonly #address: URL
  readonly #agent: Agent
  readonly tally: Tally = {
    requests: 0,
    bytes: 0,
    statuses: {},
    unanswered: 0,
    faults: [],
    late: 0,
    ms: 0,
  }
  readonly limit: Limit

  constructor(address: string, limit: Limit) {
    this.#address = new URL(address)
    this.limit = limit
    const { hostname } = this.#address
    if (hostname !== '127.0.0.1') throw new Error(`${hostname} is not this machine`)
    this.#agent = new Agent({ connections: limit.atOnce })
  }

  /**
   * Repeats an action, from another network each time, until a limit is reached; while it is not enough,
   * only that of time.
   */
  async often(
    act: (n: number) => Promise<unknown>,
    isEnough: (tally: Tally) => boolean = () => true,
  ): Promise<void> {
    const until = performance.now() + this.limit.ms
    let next = 0
    const isToGoOn = () => next < this.limit.requests || !isEnough(this.tally)
    const work = async () => {
      while (isToGoOn() && performance.now() < until) {
        const n = next
        next += 1
        await act(n)
      }
    }
    await Promise.all(Array.from({ length: this.limit.atOnce }, work))
  }

  async send(path: string, from: string, sending: Sending = {}): Promise<void> {
    const { body, method = body === undefined ? 'GET' : 'POST', headers = {} } = sending
    const bytes = bytesOf(body)
    const sent = { 'x-forwarded-for': from, ...headers }
    this.#count((bytes?.length ?? 0) + path.length + JSON.stringify(sent).length)
    try {
      const answer = await this.#agent.request({
        origin: this.#address.origin,
        path,
        method,
        headers: {
          ...(bytes && { 'content-type': 'application/json' }),
          ...sent,
        },
        ...(bytes && { body: bytes }),
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const text = await answer.body.text()
      const { statusCode } = answer
      this.tally.statuses[statusCode] = (this.tally.statuses[statusCode] ?? 0) + 1
      const isPutOff =
        statusCode === 503 && (Number(answer.headers['retry-after']) > 0 || WITHHOLDS.test(path))
      if (statusCode === 504) this.tally.late += 1
      else if (statusCode >= 500 && !isPutOff)
        this.#fault(`${statusCode} ${path.slice(0, 80)} ${text}`)
    } catch (error) {
      this.tally.unanswered += 1
      if (error instanceof Error && error.name === 'TimeoutError') {
        this.#fault(`no answer within ${ANSWER_MS} ms: ${path.slice(0, 80)}`)
      }
    }
  }

  /** Opens a stream, reads its first event, and leaves. */
  async glimpse(path: string, from: string): Promise<void> {
    const headers = { 'x-forwarded-for': from }
    this.#count(path.length + from.length)
    const leaving = new AbortController()
    const late = AbortSignal.timeout(ANSWER_MS)
    try {
      const answer = await this.#agent.request({
        ...{ origin: this.#address.origin, path, method: 'GET', headers },
        signal: AbortSignal.any([late, leaving.signal]),
      })
      const { statusCode } = answer
      this.tally.statuses[statusCode] = (this.tally.statuses[statusCode] ?? 0) + 1
      let tail = ''
      for await (const piece of answer.body.setEncoding('latin1')) {
        tail = `${tail}${piece}`.slice(-FIRST_EVENT)
        if (statusCode === 200 && tail.endsWith('\n\n') && tail.includes('"total":')) break
      }
      if (statusCode >= 500 && statusCode !== 503) this.#fault(`${statusCode} ${path}`)
    } catch {
      this.tally.unanswered += 1
      if (late.aborted) this.#fault(`no event within ${ANSWER_MS} ms: ${path.slice(0, 80)}`)
    } finally {
      leaving.abort()
    }
  }

  /**
   * A connection of its own: writes these pieces with a pause before each, and waits for it to
   * close.
   */
  async drip(
    pieces: readonly (string | Buffer)[],
    pauseMs: number,
    longestMs: number,
  ): Promise<void> {
    const until = performance.now() + longestMs
    const socket = connect(Number(this.#address.port), this.#address.hostname)
    let said = ''
    socket.on('data', (chunk: Buffer) => {
      said += chunk
    })
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    for (const piece of pieces) {
      if (socket.destroyed || performance.now() > until) break
      this.tally.bytes += piece.length
      socket.write(piece)
      await Promise.race([ended, delay(pauseMs)])
    }
    await Promise.race([
      ended,
      delay(Math.max(0, until - performance.now()), undefined, { ref: false }),
    ])
    socket.destroy()
    this.tally.requests += 1
    const [, status] = /^HTTP\/1.1 ([0-9]{3})/.exec(said) ?? []
    if (!status) this.tally.unanswered += 1
    else this.tally.statuses[status] = (this.tally.statuses[status] ?? 0) + 1
    if (status?.startsWith('5') && status !== '503') this.#fault(said.slice(0, 200))
  }

  /**
   * A connection of its own: sends all of it in one packet, reads so many bytes a second, and leaves
   * after `ms`.
   */
  async burst(
    bytes: string | Buffer,
    { ms, perSecond, end = 'FIN' }: { ms: number; perSecond: number; end?: 'FIN' | 'RST' },
  ): Promise<void> {
    const socket = connect(Number(this.#address.port), this.#address.hostname)
    socket.on('error', () => {})
    socket.pause()
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const reading = setInterval(() => socket.read(perSecond), 1_000)
    this.#count(bytes.length)
    socket.write(bytes)
    await Promise.race([ended, delay(ms)])
    clearInterval(reading)
    if (end === 'RST') socket.resetAndDestroy()
    else socket.destroy()
    this.tally.unanswered += 1
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  #count(bytes: number): void {
    this.tally.requests += 1
    this.tally.bytes += bytes
  }

  #fault(what: string): void {
    if (this.tally.faults.length < MAX_FAULTS) this.tally.faults.push(what.slice(0, 300))
  }
}

function bytesOf(body: Sending['body']): Buffer | null {
  if (body === undefined) return null
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** An IPv6 address in a /48 of its own. */
export const anyNetwork = (n: number): string =>
  `2a00:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::${(n % 7) + 1}`
/** One of the addresses of one /24. */
export const ONE_ADDRESS = '203.0.113.9'
