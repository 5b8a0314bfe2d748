/** Readers that wait for a topic's partition to grow: woken within the process, without polling. */
export class Wakes {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Resolves at the next `wake` of the place, or when the signal aborts. */
  wait(place: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const waiting = this.#waiting.get(place) ?? new Set()
      this.#waiting.set(place, waiting)
      const done = () => {
        waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  wake(place: string): void {
    for (const done of [...(this.#waiting.get(place) ?? [])]) done()
  }
}
