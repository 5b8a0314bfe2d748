import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'

/** Callers that wait for the next value. */
export class Waiters<T = void> {
  readonly #waiting = new Set<(value: T) => void>()

  get size(): number {
    return this.#waiting.size
  }

  /** The next value that `isWanted` accepts; null if the signal aborts first. */
  next(signal: AbortSignal, isWanted: (value: T) => boolean = () => true): Promise<T | null> {
    return new Promise((resolve) => {
      const leave = (value: T | null) => {
        this.#waiting.delete(hear)
        signal.removeEventListener('abort', abort)
        resolve(value)
      }
      const hear = (value: T) => {
        if (isWanted(value)) leave(value)
      }
      const abort = () => leave(null)
      this.#waiting.add(hear)
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
    })
  }

  /** As `next`; null also after `ms` milliseconds. */
  within(
    clock: Pick<Clock, 'sleep'>,
    ms: number,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<T | null> {
    return withDeadline(clock, ms, signal, (deadline) => this.next(deadline))
  }

  tell(value: T): void {
    for (const hear of [...this.#waiting]) hear(value)
  }
}

/** Callers that wait for the next value under a key. */
export class KeyedWaiters<T = void> {
  readonly #waiting = new Map<string, Waiters<T>>()

  /** The keys that have waiters. */
  get keys(): string[] {
    return [...this.#waiting.keys()]
  }

  /** The next value under the key; null if the signal aborts first. */
  async next(key: string, signal: AbortSignal): Promise<T | null> {
    const waiters = this.#waiting.get(key) ?? new Waiters<T>()
    this.#waiting.set(key, waiters)
    try {
      return await waiters.next(signal)
    } finally {
      if (waiters.size === 0 && this.#waiting.get(key) === waiters) this.#waiting.delete(key)
    }
  }

  tell(key: string, value: T): void {
    this.#waiting.get(key)?.tell(value)
  }
}
