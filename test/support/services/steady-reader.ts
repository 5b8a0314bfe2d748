import { setTimeout as delay } from 'node:timers/promises'
import type { RoleProcess } from './stack.ts'

const PAUSE_MS = 50
/** How often a read is put off by a gateway that starts on a busy machine, before it counts as failed. */
const MAX_PUT_OFF = 5
/** What is read besides an order. */
const PATHS = [
  '/api/market/orders?limit=20',
  '/api/market/orders?limit=20&sort=price_asc',
  '/api/market/activity?limit=20',
  '/api/market/stats/market',
  '/api/market/orders/facets',
]

/**
 * A client that always reads, from one gateway after another: each answer must be 200, and one that
 * is OVERLOADED is asked for again after its `Retry-After`, as clients do.
 */
export class SteadyReader {
  readonly failures: string[] = []
  served = 0
  #gateways: readonly RoleProcess[] = []
  #reading: Promise<void> = Promise.resolve()
  readonly #ids: () => readonly string[]
  readonly #stop = new AbortController()
  readonly #done: Promise<void>

  /** `ids`: of orders that may be read. */
  constructor(gateways: readonly RoleProcess[], ids: () => readonly string[]) {
    this.#gateways = gateways
    this.#ids = ids
    this.#done = this.#run()
  }

  /** The gateways that are read from now on; resolves when no read of another one is under way. */
  async use(gateways: readonly RoleProcess[]): Promise<void> {
    this.#gateways = gateways
    await this.#reading
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#stop.signal.aborted; turn += 1) {
      const gateway = this.#gateways[turn % this.#gateways.length]
      if (gateway) this.#reading = this.#read(gateway, this.#pathOf(turn))
      await this.#reading
      await delay(PAUSE_MS)
    }
  }

  #pathOf(turn: number): string {
    const path = PATHS[turn % (PATHS.length + 1)]
    if (path !== undefined) return path
    const ids = this.#ids()
    return `/api/market/orders/${ids[turn % ids.length]}`
  }

  async #read(gateway: RoleProcess, path: string): Promise<void> {
    for (let left = MAX_PUT_OFF; ; left -= 1) {
      const said = await this.#ask(gateway, path)
      if (said.status === 200) {
        this.served += 1
        return
      }
      if (left === 0 || said.status !== 503 || !said.text.includes('"OVERLOADED"')) {
        const text = said.text.slice(0, 200)
        this.failures.push(`${gateway.name} ${path}: ${said.status} ${text}`)
        return
      }
      await delay(said.retryAfterS * 1_000)
    }
  }

  async #ask(gateway: RoleProcess, path: string) {
    try {
      const answer = await fetch(`${gateway.address}${path}`)
      const retryAfterS = Number(answer.headers.get('retry-after') ?? 1)
      return { status: answer.status, text: await answer.text(), retryAfterS }
    } catch (error) {
      return { status: 0, text: String((error as Error).cause ?? error), retryAfterS: 0 }
    }
  }
}
