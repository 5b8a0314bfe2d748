import { setImmediate } from 'node:timers/promises'

/**
 * Records that one transaction of small writes may move: more would block the event loop for too
 * long.
 */
const GROUP_RECORDS = 64

interface WaitingWrite {
  records: number
  begin(): Promise<unknown>
}

/**
 * Group commit: writes waiting for the one in progress are started together, in order, as many as
 * move 64 records, and share its fsync. A larger one goes alone.
 */
export class WriteGroups {
  readonly #waiting: WaitingWrite[] = []
  #isRunning = false

  /**
   * `write` starts in a later turn of the event loop; the returned promise settles as its promise
   * does.
   */
  run<T>(records: number, write: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const begin = () => write().then(resolve, reject)
      this.#waiting.push({ records, begin })
      if (!this.#isRunning) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    for (;;) {
      // Writes requested in the same turn of the event loop go together.
      await setImmediate()
      const group = this.#next()
      if (group.length === 0) break
      await Promise.all(group.map(({ begin }) => begin()))
    }
    this.#isRunning = false
  }

  #next(): WaitingWrite[] {
    let records = 0
    const past = this.#waiting.findIndex((waiting, at) => {
      records += waiting.records
      return at > 0 && records > GROUP_RECORDS
    })
    return this.#waiting.splice(0, past === -1 ? this.#waiting.length : past)
  }
}
