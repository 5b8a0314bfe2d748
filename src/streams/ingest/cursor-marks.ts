/** Which cursor may be saved when the items before it are settled in any order. */
export class CursorMarks {
  #told = 0
  /** Places not settled yet, in order of arrival. */
  readonly #open = new Set<number>()
  /** Cursors reached, each with the number of items before it. */
  #marks: { cursor: number; told: number }[] = []

  /** Registers an item that must be settled; returns its place. */
  open(): number {
    this.#told += 1
    this.#open.add(this.#told)
    return this.#told
  }

  settle(place: number): void {
    this.#open.delete(place)
  }

  /** If no item came in between, the later cursor replaces the earlier one. */
  reach(cursor: number): void {
    if (this.#marks.at(-1)?.told === this.#told) this.#marks.pop()
    this.#marks.push({ cursor, told: this.#told })
  }

  /** The last cursor before which everything is settled; null: none since the last call. */
  take(): number | null {
    const [first = Number.POSITIVE_INFINITY] = this.#open
    const settled = this.#marks.findLast(({ told }) => told < first)
    if (!settled) return null
    this.#marks = this.#marks.filter(({ told }) => told >= first)
    return settled.cursor
  }
}
