import type { Clock } from '../../runtime/clock.ts'
import { setNewest } from '../../runtime/set-newest.ts'
import type { ShownCount } from './spare-allowances.ts'

/** A full window: what its client is shown, and how many networks lie within its own. */
export interface FullWindow {
  count: ShownCount
  level: number
}

interface Full {
  max: number
  untilMs: number
}

/**
 * Clients and networks that have used up a window, until it ends. A window only fills, whoever
 * counts in it: what was full once needs no second question.
 */
export class FullWindows {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #most: number
  readonly #full = new Map<string, Full>()

  /** Remembers at most `most` windows; the one noted first is dropped first. */
  constructor(clock: Pick<Clock, 'monotonic'>, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** A network's window of `max` requests is full for `ttlMs` more. */
  note(network: string, max: number, ttlMs: number): void {
    const untilMs = this.#clock.monotonic() + ttlMs
    setNewest(this.#full, network, { max, untilMs }, this.#most)
  }

  /** The first full window among those of a client and its networks, the narrowest first. */
  among(networks: readonly string[]): FullWindow | null {
    if (this.#full.size === 0) return null
    for (const [level, network] of networks.entries()) {
      const full = this.#full.get(network)
      if (!full) continue
      const leftMs = full.untilMs - this.#clock.monotonic()
      if (leftMs > 0) {
        const { max } = full
        return { level, count: { max, remaining: 0, ttlInSeconds: Math.ceil(leftMs / 1_000) } }
      }
      this.#full.delete(network)
    }
    return null
  }
}
