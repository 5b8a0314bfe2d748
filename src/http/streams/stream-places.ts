import { RefusalError } from '../../gateway/refusal.ts'

export interface PlaceLimits {
  /** Streams of a client; the networks around it may hold 4 and 16 times as many. */
  perClient: number
  /** Streams of all clients of this gateway. */
  inAll: number
}

const WIDER = 4
const RETRY_SECONDS = 10

/** Counts the streams that are open, by client and by network. */
export class StreamPlaces {
  readonly #limits: PlaceLimits
  readonly #held = new Map<string, number>()
  #inAll = 0

  constructor(limits: PlaceLimits) {
    this.#limits = limits
  }

  /**
   * Takes a place, and returns the function that gives it back. `networks`: the client, then the
   * networks around it, each wider than the last.
   *
   * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED
   */
  take(networks: readonly string[]): () => void {
    const { perClient, inAll } = this.#limits
    for (const [level, network] of networks.entries()) {
      const most = perClient * WIDER ** level
      if ((this.#held.get(network) ?? 0) < most) continue
      const whose = level === 0 ? '' : ` from ${network}`
      throw new RefusalError('MARKET_RATE_LIMITED', `at most ${most} streams at a time${whose}`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    if (this.#inAll >= inAll) {
      throw new RefusalError('OVERLOADED', `this gateway serves ${inAll} streams already`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    this.#add(networks, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(networks, -1)
      isHeld = false
    }
  }

  get size(): number {
    return this.#inAll
  }

  #add(networks: readonly string[], by: 1 | -1): void {
    this.#inAll += by
    for (const network of networks) {
      const held = (this.#held.get(network) ?? 0) + by
      if (held === 0) this.#held.delete(network)
      else this.#held.set(network, held)
    }
  }
}
