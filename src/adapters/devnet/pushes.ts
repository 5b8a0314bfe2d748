import type { NodeChange } from '../../ports/full-node.ts'

/** A subscriber that falls this far behind is told of a gap, as a full ZMQ queue makes one. */
const MAX_WAITING = 100_000

/** Hands every change to all who listen, in order. */
export class Pushes {
  readonly #subscriptions = new Set<Subscription>()

  publish(change: NodeChange): void {
    for (const subscription of this.#subscriptions) subscription.push(change)
  }

  /** Hears everything from now on, until the signal aborts; what was before must be asked for. */
  subscribe(signal: AbortSignal): AsyncIterable<NodeChange> {
    const subscription = new Subscription(signal, () => this.#subscriptions.delete(subscription))
    if (!signal.aborted) this.#subscriptions.add(subscription)
    return subscription
  }
}

class Subscription implements AsyncIterableIterator<NodeChange> {
  readonly #waiting: NodeChange[] = [{ kind: 'poll' }]
  readonly #leave: () => void
  #wake: (() => void) | null = null
  #ended: boolean

  constructor(signal: AbortSignal, leave: () => void) {
    this.#leave = leave
    this.#ended = signal.aborted
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  push(change: NodeChange): void {
    if (this.#waiting.length >= MAX_WAITING)
      this.#waiting.splice(0, Infinity, { kind: 'gap', detail: 'too many changes were waiting' })
    this.#waiting.push(change)
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<NodeChange>> {
    while (!this.#ended) {
      const value = this.#waiting.shift()
      if (value) return { value, done: false }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
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
    this.#wake?.()
  }
}
