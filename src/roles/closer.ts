/** Closes what was opened, in reverse order of opening. */
export class Closer {
  readonly #closes: (() => Promise<void> | void)[] = []

  add(close: () => Promise<void> | void): void {
    this.#closes.push(close)
  }

  /** Closes everything once; throws the first error after all were tried. */
  async close(): Promise<void> {
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
