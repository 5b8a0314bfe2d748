/** Texts as numbers: 0 means none, 1 is the text of a cursor. */
export class Texts {
  readonly #ids = new Map<string, number>()
  readonly #texts: string[] = ['', '']

  id(text: string | null): number {
    if (text === null) return 0
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    this.#ids.set(text, this.#texts.length)
    return this.#texts.push(text) - 1
  }

  get all(): readonly string[] {
    return this.#texts
  }

  /** Takes the texts of another list, which is no longer used; this one must be empty. */
  take(texts: readonly string[]): void {
    for (const text of texts.slice(this.#texts.length)) this.id(text)
  }

  find(text: string): number | undefined {
    return this.#ids.get(text)
  }

  text(id: number): string {
    return this.#texts[id] ?? ''
  }

  /** A number for a text that perhaps no order has: valid until the next call. */
  probe(text: string | null): number {
    this.#texts[1] = text ?? ''
    return text === null ? 0 : 1
  }

  /** For each number, the rank of its text in this order; the rank of 0 (no text) is the last. */
  ranks(compare: (a: string, b: string) => number): Uint32Array {
    const ids = Array.from({ length: this.#texts.length - 2 }, (_, at) => at + 2)
    ids.sort((a, b) => compare(this.text(a), this.text(b)))
    const ranks = new Uint32Array(this.#texts.length)
    for (const [rank, id] of ids.entries()) ranks[id] = rank
    ranks[0] = ids.length
    return ranks
  }

  /** For each number, whether its text passes. */
  passing(test: (text: string) => boolean): Uint8Array {
    const passing = new Uint8Array(this.#texts.length)
    for (let id = 2; id < passing.length; id += 1) passing[id] = test(this.text(id)) ? 1 : 0
    return passing
  }
}
