import { RefusalError } from '../../gateway/refusal.ts'

export interface SlotLimits {
  /** Long answers of a client; the networks around it may hold 4 and 16 times as many. */
  perClient: number
  /** Long answers of all clients of this gateway. */
  inAll: number
}

/** A long answer that has a slot. */
export interface SlotHolder {
  /** Is nothing on its way to its reader? */
  isIdle(): boolean
  /** Ends it: its client asks again, here or at another gateway. */
  end(): void
}

const WIDER = 4
const RETRY_SECONDS = 10
/** A network with fewer answers finds a slot while networks with at least as many have more than their half. */
const FEW = 4
const SHARE_OF_MANY = 0.5

/** Counts the long answers that are being sent, by client and by network. */
export class FairSlots {
  readonly #what: 'streams' | 'snapshots'
  readonly #limits: SlotLimits
  readonly #held = new Map<string, number>()
  /** The holders of each widest network, the oldest first, with what gives back their slot. */
  readonly #holders = new Map<string, Map<SlotHolder, () => void>>()
  #inAll = 0

  constructor(what: 'streams' | 'snapshots', limits: SlotLimits) {
    this.#what = what
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
      throw new RefusalError(
        'MARKET_RATE_LIMITED',
        `at most ${most} ${this.#what} at a time${whose}`,
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      )
    }
    const widest = networks.at(-1) ?? ''
    if (this.#inAll >= inAll && !this.#makeRoom(widest)) {
      throw new RefusalError('OVERLOADED', `this gateway serves ${inAll} ${this.#what} already`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    this.#count(networks, 1)
    const holders = this.#holders.get(widest) ?? new Map<SlotHolder, () => void>()
    this.#holders.set(widest, holders)
    const leave = () => {
      if (!holders.delete(holder)) return
      if (holders.size === 0) this.#holders.delete(widest)
      this.#count(networks, -1)
    }
    holders.set(holder, leave)
    return leave
  }

  get size(): number {
    return this.#inAll
  }

  /** Ends the oldest idle answer, or else the oldest, of the network that holds most, for one that holds few. */
  #makeRoom(network: string): boolean {
    if ((this.#holders.get(network)?.size ?? 0) >= FEW) return false
    const many = [...this.#holders.values()].filter(({ size }) => size >= FEW)
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
