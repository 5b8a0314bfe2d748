/** Closes what was opened, in reverse order of opening. */
export class Closer {
  readonly #closes: (() => Promise<void> | void)[] = []
  #hasBegun = false

  /** Whether what was opened is being closed, or is closed: its last failures are no faults. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  add(close: () => Promise<void> | void): void {
    this.#closes.push(close)
  }

  /** Closes everything once; throws the first error after all were tried. */
  async close(): Promise<void> {
    this.#hasBegun = true
    const errors: unknown[] = []
    for (let close = this.#closes.pop(); close; close = this.#closes.pop()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
