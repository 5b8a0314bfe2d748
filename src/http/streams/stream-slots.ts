import { RefusalError } from '../../gateway/refusal.ts'

export interface SlotLimits {
  /** Streams of a client; the networks around it may hold 4 and 16 times as many. */
  perClient: number
  /** Streams of all clients of this gateway. */
  inAll: number
}

/** A stream that has a slot. */
export interface SlotHolder {
  /** Is nothing on its way to its reader? */
  isIdle(): boolean
  /** Ends it: its client resumes it, here or at another gateway. */
  end(): void
}

const WIDER = 4
const RETRY_SECONDS = 10
/** A network with fewer streams finds a slot while networks with at least as many have more than their half. */
const FEW = 4
const SHARE_OF_MANY = 0.5

/** Counts the streams that are open, by client and by network. */
export class StreamSlots {
  readonly #limits: SlotLimits
  readonly #held = new Map<string, number>()
  /** The streams of each widest network, the oldest first, with what gives back their slot. */
  readonly #streams = new Map<string, Map<SlotHolder, () => void>>()
  #inAll = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /**
   * Takes a slot, and returns the function that gives it back. Where all are taken, the network
   * that holds most gives one to a network that holds few. `networks`: the client, then the
   * networks around it, each wider than the last; a customer is alone. `perClient`: of a customer, by
   * its tier.
   *
   * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED
   */
  take(
    networks: readonly string[],
    holder: SlotHolder,
    perClient = this.#limits.perClient,
  ): () => void {
    const { inAll } = this.#limits
    for (const [level, network] of networks.entries()) {
      const most = perClient * WIDER ** level
      if ((this.#held.get(network) ?? 0) < most) continue
      const whose = level === 0 ? '' : ` from ${network}`
      throw new RefusalError('MARKET_RATE_LIMITED', `at most ${most} streams at a time${whose}`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    const widest = networks.at(-1) ?? ''
    if (this.#inAll >= inAll && !this.#makeRoom(widest)) {
      throw new RefusalError('OVERLOADED', `this gateway serves ${inAll} streams already`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    this.#count(networks, 1)
    const streams = this.#streams.get(widest) ?? new Map<SlotHolder, () => void>()
    this.#streams.set(widest, streams)
    const leave = () => {
      if (!streams.delete(holder)) return
      if (streams.size === 0) this.#streams.delete(widest)
      this.#count(networks, -1)
    }
    streams.set(holder, leave)
    return leave
  }

  get size(): number {
    return this.#inAll
  }

  /** Ends the oldest idle stream of the network that holds most, for one that holds few. */
  #makeRoom(network: string): boolean {
    if ((this.#streams.get(network)?.size ?? 0) >= FEW) return false
    const many = [...this.#streams.values()].filter(({ size }) => size >= FEW)
    const heldByMany = many.reduce((sum, { size }) => sum + size, 0)
    if (heldByMany <= SHARE_OF_MANY * this.#limits.inAll) return false
    const most = many.reduce((one, other) => (other.size > one.size ? other : one))
    const [oldest] = most
    const [holder, leave] = [...most].find(([one]) => one.isIdle()) ?? oldest ?? []
    leave?.()
    holder?.end()
    return holder !== undefined
  }

  #count(networks: readonly string[], by: 1 | -1): void {
    this.#inAll += by
    for (const network of networks) {
      const held = (this.#held.get(network) ?? 0) + by
      if (held === 0) this.#held.delete(network)
      else this.#held.set(network, held)
    }
  }
}
