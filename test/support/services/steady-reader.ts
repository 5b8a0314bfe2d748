import { setTimeout as delay } from 'node:timers/promises'
import type { RoleProcess } from './stack.ts'

const PAUSE_MS = 50
/** What is read besides an order. */
const PATHS = [
  '/api/market/orders?limit=20',
  '/api/market/orders?limit=20&sort=price_asc',
  '/api/market/activity?limit=20',
  '/api/market/stats/market',
  '/api/market/orders/facets',
]

/** A client that always reads, from one gateway after another: each answer must be 200. */
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
    const said = await fetch(`${gateway.address}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: Error) => ({ status: 0, text: String(error.cause ?? error) }),
    )
    if (said.status === 200) this.served += 1
    else this.failures.push(`${gateway.name} ${path}: ${said.status} ${said.text.slice(0, 200)}`)
  }
}
