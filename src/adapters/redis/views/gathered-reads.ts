interface ReadWaiter<Read> {
  resolve(read: Read): void
  reject(error: unknown): void
}

/**
 * Reads by id, gathered: those that are requested in one turn of the event loop are read at once, each
 * id once, when it has ended.
 */
export class GatheredReads<Read> {
  readonly #readAll: (ids: readonly string[]) => Promise<readonly Read[]>
  #waiting = new Map<string, ReadWaiter<Read>[]>()

  /** `readAll` reads in the order of the ids. */
  constructor(readAll: (ids: readonly string[]) => Promise<readonly Read[]>) {
    this.#readAll = readAll
  }

  read(id: string): Promise<Read> {
    return new Promise((resolve, reject) => {
      const waiters = this.#waiting.get(id)
      if (waiters) {
        waiters.push({ resolve, reject })
        return
      }
      // Runs once the requests of all sockets that can be read now are taken.
      if (this.#waiting.size === 0) setImmediate(() => void this.#flush())
      this.#waiting.set(id, [{ resolve, reject }])
    })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = new Map()
    try {
      const reads = await this.#readAll([...waiting.keys()])
      for (const [at, waiters] of [...waiting.values()].entries()) {
        for (const { resolve } of waiters) resolve(reads[at] as Read)
      }
    } catch (error) {
      for (const { reject } of [...waiting.values()].flat()) reject(error)
    }
  }
}
