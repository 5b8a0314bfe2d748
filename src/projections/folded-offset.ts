import { Waiters } from '../runtime/waiters.ts'

/** How far a partition's lifecycle is folded; callers can wait for an offset. */
export class FoldedOffset {
  #offset = 0
  readonly #waiters = new Waiters()

  reach(offset: number): void {
    this.#offset = offset
    this.#waiters.tell()
  }

  has(offset: number): boolean {
    return this.#offset >= offset
  }

  /** Resolves when the offset is reached, or when the signal aborts. */
  async until(offset: number, signal: AbortSignal): Promise<void> {
    if (!this.has(offset)) await this.#waiters.next(signal, () => this.has(offset))
  }
}
