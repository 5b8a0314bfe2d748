import { RefusalError } from '../../gateway/refusal.ts'

const RETRY_SECONDS = 1

/** Batches in progress: each may hold its body and its answers in memory. */
export class BatchPlaces {
  readonly #bounds: { perCustomer: number; inAll: number }
  readonly #held = new Map<string, number>()
  #inAll = 0

  constructor(bounds: { perCustomer: number; inAll: number }) {
    this.#bounds = bounds
  }

  /**
   * Takes a place, and returns the function that gives it back.
   *
   * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED
   */
  take(customer: string): () => void {
    const { perCustomer, inAll } = this.#bounds
    const own = this.#held.get(customer) ?? 0
    const options = { retryAfterSeconds: RETRY_SECONDS }
    if (own >= perCustomer) {
      const message = `at most ${perCustomer} batches at a time with a key`
      throw new RefusalError('MARKET_RATE_LIMITED', message, options)
    }
    if (this.#inAll >= inAll) {
      const message = `this gateway has ${inAll} batches in progress already`
      throw new RefusalError('OVERLOADED', message, options)
    }
    this.#held.set(customer, own + 1)
    this.#inAll += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#inAll -= 1
      const left = (this.#held.get(customer) ?? 1) - 1
      if (left === 0) this.#held.delete(customer)
      else this.#held.set(customer, left)
    }
  }
}
