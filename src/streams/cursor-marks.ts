/** Which cursor may be kept, when what was told before it is settled in any order. */
export class CursorMarks {
  #told = 0
  /** What is not settled, in the order told. */
  readonly #open = new Set<number>()
  /** Cursors that were reached, each with how much was told before it. */
  #marks: { cursor: number; told: number }[] = []

  /** Something was told that is to be settled: its place. */
  open(): number {
    this.#told += 1
    this.#open.add(this.#told)
    return this.#told
  }

  settle(place: number): void {
    this.#open.delete(place)
  }

  /** Where nothing came in between the later cursor stands for the earlier one. */
  reach(cursor: number): void {
    if (this.#marks.at(-1)?.told === this.#told) this.#marks.pop()
    this.#marks.push({ cursor, told: this.#told })
  }

  /** The last cursor before which all is settled; null: there is none that was not taken before. */
  take(): number | null {
    const [first = Number.POSITIVE_INFINITY] = this.#open
    const settled = this.#marks.findLast(({ told }) => told < first)
    if (!settled) return null
    this.#marks = this.#marks.filter(({ told }) => told >= first)
    return settled.cursor
  }
}
