import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

const CONNECTIONS = 32
const TICK_MS = 20
const CLIENTS = 256

/** Reads of the API over its own connections; latencies are kept until they are taken. */
export class Readers implements AsyncDisposable {
  readonly #pool: Pool
  readonly #next: () => string
  #latencies: number[] = []

  constructor(origin: string, next: () => string) {
    this.#pool = new Pool(origin, { connections: CONNECTIONS })
    this.#next = next
  }

  /** As fast as they are answered; returns reads a second. */
  async flatOut(ms: number): Promise<number> {
    const end = performance.now() + ms
    const reader = async () => {
      while (performance.now() < end) await this.#read()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, reader))
    return (this.taken().length * 1_000) / ms
  }

  /**
   * At a steady rate, however slow the answers: reads that wait too long are part of the figures.
   */
  async steady(perSecond: number, signal: AbortSignal): Promise<void> {
    const begun = performance.now()
    const reads = new Set<Promise<void>>()
    for (let sent = 0; !signal.aborted; ) {
      const due = ((performance.now() - begun) * perSecond) / 1_000
      for (; sent < due; sent += 1) {
        const read = this.#read().finally(() => reads.delete(read))
        reads.add(read)
      }
      await sleep(TICK_MS)
    }
    await Promise.all(reads)
  }

  /** Latencies since the last call, milliseconds. */
  taken(): number[] {
    return this.#latencies.splice(0)
  }

  async #read(): Promise<void> {
    const path = this.#next()
    const begun = performance.now()
    const client = `11.0.${Math.floor(Math.random() * CLIENTS)}.1`
    const headers = { 'x-forwarded-for': client }
    const { statusCode, body } = await this.#pool.request({ method: 'GET', path, headers })
    await body.dump()
    // 503: the service sheds load, and says when to retry.
    if (statusCode !== 200 && statusCode !== 503) throw new Error(`${path} answered ${statusCode}`)
    this.#latencies.push(performance.now() - begun)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close()
  }
}
