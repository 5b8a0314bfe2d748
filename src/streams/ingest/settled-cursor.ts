/** Which cursor may be saved when the items before it are settled in any order. */
export class SettledCursor {
  #received = 0
  /** Places not settled yet, in order of arrival. */
  readonly #open = new Set<number>()
  /** Cursors reached, each with the number of items before it. */
  #reached: { cursor: number; received: number }[] = []

  /** Registers an item that must be settled; returns its place. */
  open(): number {
    this.#received += 1
    this.#open.add(this.#received)
    return this.#received
  }

  settle(number: number): void {
    this.#open.delete(number)
  }

  /** If no item came in between, the later cursor replaces the earlier one. */
  reach(cursor: number): void {
    if (this.#reached.at(-1)?.received === this.#received) this.#reached.pop()
    this.#reached.push({ cursor, received: this.#received })
  }

  /** The last cursor before which everything is settled; null: none since the last call. */
  take(): number | null {
    const [first = Number.POSITIVE_INFINITY] = this.#open
    const settled = this.#reached.findLast(({ received }) => received < first)
    if (!settled) return null
    this.#reached = this.#reached.filter(({ received }) => received >= first)
    return settled.cursor
  }
}
