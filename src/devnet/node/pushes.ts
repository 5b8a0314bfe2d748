import type { NodeChange } from '../../ports/authorities/full-node.ts'
import { Waiters } from '../../runtime/waiters.ts'

/** A subscriber that falls this far behind gets a gap, as from a full ZMQ queue. */
const MAX_WAITING = 100_000

/** Publishes every change to all subscribers, in order. */
export class Pushes {
  readonly #subscriptions = new Set<Subscription>()

  publish(change: NodeChange): void {
    for (const subscription of this.#subscriptions) subscription.push(change)
  }

  /** Yields everything from now on, until the signal aborts; earlier state must be polled. */
  subscribe(signal: AbortSignal): AsyncIterable<NodeChange> {
    const subscription = new Subscription(signal, () => this.#subscriptions.delete(subscription))
    if (!signal.aborted) this.#subscriptions.add(subscription)
    return subscription
  }
}

class Subscription implements AsyncIterableIterator<NodeChange> {
  readonly #waiting: NodeChange[] = [{ kind: 'poll', isAlone: false }]
  readonly #leave: () => void
  readonly #signal: AbortSignal
  readonly #changes = new Waiters()
  #ended: boolean

  constructor(signal: AbortSignal, leave: () => void) {
    this.#signal = signal
    this.#leave = leave
    this.#ended = signal.aborted
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  push(change: NodeChange): void {
    if (this.#waiting.length >= MAX_WAITING)
      this.#waiting.splice(0, Infinity, { kind: 'gap', detail: 'too many changes were waiting' })
    this.#waiting.push(change)
    this.#changes.tell()
  }

  async next(): Promise<IteratorResult<NodeChange>> {
    while (!this.#ended) {
      const value = this.#waiting.shift()
      if (value) return { value, done: false }
      await this.#changes.next(this.#signal)
    }
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<NodeChange>> {
    this.#end()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #end(): void {
    this.#ended = true
    this.#leave()
    this.#changes.tell()
  }
}
