/** What waits, by its source: sources take turns, and each is served in order of arrival. */
export class SourceQueue<Item> {
  /** The source whose turn is next comes first. */
  readonly #bySource = new Map<string, Item[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  push(source: string, item: Item): void {
    const items = this.#bySource.get(source)
    if (items) items.push(item)
    else this.#bySource.set(source, [item])
    this.#length += 1
  }

  shift(): Item | undefined {
    const [turn] = this.#bySource
    if (!turn) return undefined
    const [source, items] = turn
    const item = items.shift()
    this.#bySource.delete(source)
    if (items.length > 0) this.#bySource.set(source, items)
    this.#length -= 1
    return item
  }

  /** Removes every unwanted item. */
  remove(isUnwanted: (item: Item) => boolean): Item[] {
    const removed: Item[] = []
    for (const [source, items] of this.#bySource) {
      const unwanted = new Set(items.filter(isUnwanted))
      if (unwanted.size === 0) continue
      removed.push(...unwanted)
      const rest = items.filter((item) => !unwanted.has(item))
      if (rest.length > 0) this.#bySource.set(source, rest)
      else this.#bySource.delete(source)
    }
    this.#length -= removed.length
    return removed
  }

  /** Removes the newest of the source that has most, if another item of `source` would have less. */
  makeRoom(source: string): Item | undefined {
    const own = this.#bySource.get(source)?.length ?? 0
    const most = [...this.#bySource.values()].reduce<Item[]>(
      (one, other) => (other.length > one.length ? other : one),
      [],
    )
    if (most.length <= own + 1) return undefined
    this.#length -= 1
    return most.pop()
  }
}
