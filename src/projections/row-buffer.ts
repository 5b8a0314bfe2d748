import type { Clock } from '../runtime/clock.ts'

/** Rows from many readers for one writer: readers wait while it is full. */
export class RowBuffer<T> {
  readonly #clock: Clock
  readonly #size: number
  readonly #patienceMs: number
  #rows: T[] = []
  readonly #watchers = new Set<() => void>()

  constructor(clock: Clock, size: number, patienceMs: number) {
    this.#clock = clock
    this.#size = size
    this.#patienceMs = patienceMs
  }

  /** Resolves when there is room for more, or when the signal aborts. */
  async add(rows: readonly T[], signal: AbortSignal): Promise<void> {
    this.#rows.push(...rows)
    this.#changed()
    await this.#until(() => this.#rows.length < this.#size, signal)
  }

  /** All rows, once the buffer is full or its first row has waited long enough; none on abort. */
  async take(signal: AbortSignal): Promise<T[]> {
    await this.#until(() => this.#rows.length > 0, signal)
    const enough = new AbortController()
    await Promise.race([
      this.#clock.sleep(this.#patienceMs, AbortSignal.any([enough.signal, signal])),
      this.#until(() => this.#rows.length >= this.#size, AbortSignal.any([enough.signal, signal])),
    ])
    enough.abort()
    const rows = this.#rows
    this.#rows = []
    this.#changed()
    return signal.aborted ? [] : rows
  }

  #changed(): void {
    for (const check of [...this.#watchers]) check()
  }

  #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds() && !signal.aborted) return
        this.#watchers.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#watchers.add(check)
      signal.addEventListener('abort', check)
      check()
    })
  }
}
