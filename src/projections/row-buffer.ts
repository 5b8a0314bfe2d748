import type { Clock } from '../runtime/clock.ts'
import { withDeadline } from '../runtime/deadline.ts'
import { Waiters } from '../runtime/waiters.ts'

/** Rows from many readers for one writer: readers wait while it is full. */
export class RowBuffer<T> {
  readonly #clock: Clock
  readonly #size: number
  readonly #patienceMs: number
  #rows: T[] = []
  readonly #waiters = new Waiters()

  constructor(clock: Clock, size: number, patienceMs: number) {
    this.#clock = clock
    this.#size = size
    this.#patienceMs = patienceMs
  }

  /** Resolves when there is room for more, or when the signal aborts. */
  async add(rows: readonly T[], signal: AbortSignal): Promise<void> {
    this.#rows.push(...rows)
    this.#waiters.tell()
    await this.#until(() => this.#rows.length < this.#size, signal)
  }

  /** All rows, once the buffer is full or its first row has waited long enough; none on abort. */
  async take(signal: AbortSignal): Promise<T[]> {
    await this.#until(() => this.#rows.length > 0, signal)
    await withDeadline(this.#clock, this.#patienceMs, signal, (deadline) =>
      this.#until(() => this.#rows.length >= this.#size, deadline),
    )
    const rows = this.#rows
    this.#rows = []
    this.#waiters.tell()
    return signal.aborted ? [] : rows
  }

  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    if (!holds()) await this.#waiters.next(signal, holds)
  }
}
