/** How far a partition's lifecycle is folded; callers can wait for an offset. */
export class FoldedOffset {
  #offset = 0
  readonly #waiting = new Set<() => void>()

  reach(offset: number): void {
    this.#offset = offset
    for (const check of [...this.#waiting]) check()
  }

  has(offset: number): boolean {
    return this.#offset >= offset
  }

  /** Resolves when the offset is reached, or when the signal aborts. */
  until(offset: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!this.has(offset) && !signal.aborted) return
        this.#waiting.delete(check)
        signal.removeEventListener('abort', check)
        resolve()
      }
      this.#waiting.add(check)
      signal.addEventListener('abort', check)
      check()
    })
  }
}
