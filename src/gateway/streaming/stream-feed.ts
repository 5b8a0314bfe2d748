import type { Gateway } from '../gateway.ts'
import { ChangeTip } from './change-tip.ts'
import { ChangedOrders } from './changed-orders.ts'

/** Shared by all streams of a gateway: the changed orders, and the tip while there is a stream. */
export class StreamFeed {
  readonly gateway: Pick<
    Gateway,
    'log' | 'views' | 'changes' | 'pool' | 'cursors' | 'clock' | 'settings'
  >
  readonly changed: ChangedOrders
  readonly #attendMs: number
  #current: { tip: ChangeTip; stop: AbortController; streams: number } | null = null

  /**
   * `attendMs`: how often the connections of all streams are checked, milliseconds; heartbeats are
   * late by at most this.
   */
  constructor(
    gateway: Pick<Gateway, 'log' | 'views' | 'changes' | 'pool' | 'cursors' | 'clock' | 'settings'>,
    attendMs: number,
  ) {
    this.gateway = gateway
    this.#attendMs = attendMs
    this.changed = new ChangedOrders(gateway)
  }

  /** The tip, until the signal aborts. A tip that has ended is no longer shared. */
  join(signal: AbortSignal): ChangeTip {
    const current = this.#current && !this.#current.tip.ended ? this.#current : this.#begin()
    current.streams += 1
    const leave = () => {
      current.streams -= 1
      if (current.streams > 0) return
      current.stop.abort()
      if (this.#current === current) this.#current = null
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return current.tip
  }

  #begin() {
    const { gateway, changed } = this
    const stop = new AbortController()
    const tip = new ChangeTip({ gateway, changed, attendMs: this.#attendMs, signal: stop.signal })
    this.#current = { tip, stop, streams: 0 }
    return this.#current
  }
}
