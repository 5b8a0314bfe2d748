import type { Clock } from '../../src/runtime/clock.ts'

/** Time that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now: number
  readonly #sleepers = new Set<{ until: number; wake: () => void }>()

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const sleeper = { until: this.#now + ms, wake: resolve }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper)
        resolve()
      })
    })
  }

  turn(): Promise<void> {
    return new Promise(setImmediate)
  }

  /** Resolves the waits that are due, the earliest first. */
  advance(ms: number): void {
    this.#now += ms
    const due = [...this.#sleepers].filter(({ until }) => until <= this.#now)
    for (const sleeper of due.sort((a, b) => a.until - b.until)) {
      this.#sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
}
