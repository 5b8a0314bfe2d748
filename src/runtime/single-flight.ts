/** Work that is under way, by name: a call for a name that is there shares it, its failure included. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Promise<T>>()

  /** How many are under way. */
  get size(): number {
    return this.#running.size
  }

  has(name: string): boolean {
    return this.#running.has(name)
  }

  run(name: string, begin: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name)
    if (running) return running
    const begun = begin().finally(() => this.#running.delete(name))
    this.#running.set(name, begun)
    return begun
  }
}
