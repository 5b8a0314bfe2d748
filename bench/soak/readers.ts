import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

const CONNECTIONS = 32
const TICK_MS = 20
const CLIENTS = 256
const OK = 200
/** The service sheds load, and says when to retry. */
const BUSY = 503

/** What came of the reads since the last look. */
export interface Taken {
  /** Of the answers, milliseconds. */
  latencies: number[]
  /** Answers that the service is busy (503): no reads. */
  shed: number
}

/** Reads of the API over its own connections; what came of them is kept until it is taken. */
export class Readers implements AsyncDisposable {
  readonly #pool: Pool
  readonly #next: () => string
  #latencies: number[] = []
  #shed = 0

  constructor(origin: string, next: () => string) {
    this.#pool = new Pool(origin, { connections: CONNECTIONS })
    this.#next = next
  }

  /** As fast as they are answered; returns answered reads a second. */
  async flatOut(ms: number): Promise<number> {
    const end = performance.now() + ms
    const reader = async () => {
      while (performance.now() < end) await this.#read()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, reader))
    return (this.taken().latencies.length * 1_000) / ms
  }

  /**
   * At a steady rate, however slow the answers: reads that wait too long are part of the figures.
   * Ends at the first one that fails, with its error.
   */
  async steady(perSecond: number, signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    const reads = new Set<Promise<void>>()
    const failed: unknown[] = []
    for (let sent = 0; !signal.aborted && failed.length === 0; ) {
      const due = ((performance.now() - begun) * perSecond) / 1_000
      for (; sent < due; sent += 1) {
        const read = this.#read()
          .catch((error: unknown) => void failed.push(error))
          .finally(() => reads.delete(read))
        reads.add(read)
      }
      await sleep(TICK_MS)
    }
    await Promise.all(reads)
    if (failed.length > 0) throw failed[0]
  }

  /** Since the last call. */
  taken(): Taken {
    const shed = this.#shed
    this.#shed = 0
    return { latencies: this.#latencies.splice(0), shed }
  }

  async #read(): Promise<void> {
    const path = this.#next()
    const begun = performance.now()
    const client = `11.0.${Math.floor(Math.random() * CLIENTS)}.1`
    const headers = { 'x-forwarded-for': client }
    const { statusCode, body } = await this.#pool.request({ method: 'GET', path, headers })
    await body.dump()
    if (statusCode === OK) this.#latencies.push(performance.now() - begun)
    else if (statusCode === BUSY) this.#shed += 1
    else throw new Error(`${path} answered ${statusCode}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close()
  }
}
