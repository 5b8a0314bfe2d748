/**
 * The subscriptions that a connection has for one purpose, one after the other. Each has a name of
 * its own: some relays refuse a name that is in use, others confirm an end with the message that
 * also means a refusal, or repeat the end of a page. What they say of an earlier one then concerns
 * no later one.
 */
export class RelaySubscription {
  readonly #purpose: string
  #opened = 0

  constructor(purpose: string) {
    this.#purpose = purpose
  }

  /** The latest one; null before the first. */
  get name(): string | null {
    return this.#opened === 0 ? null : this.#nameOf(this.#opened)
  }

  /** The name of the next one, which is now the latest. */
  open(): string {
    this.#opened += 1
    return this.#nameOf(this.#opened)
  }

  /** Is it one of these? The relay may still send what it had begun to send for an earlier one. */
  has(name: string): boolean {
    const number = name === this.#purpose ? 1 : Number(name.slice(this.#purpose.length + 1))
    const isCounted = number >= 1 && number <= this.#opened
    return isCounted && name === this.#nameOf(number)
  }

  #nameOf(number: number): string {
    return number === 1 ? this.#purpose : `${this.#purpose}-${number}`
  }
}
