/** Each ends when its signal aborts. */
export interface TurnWork {
  work(signal: AbortSignal): Promise<unknown>
  wait(signal: AbortSignal): Promise<unknown>
}

/** Whether it is this process's turn to do what only one process may do at a time; at first it is not. */
export class Turn {
  #isOurs = false
  #change = new AbortController()

  get isOurs(): boolean {
    return this.#isOurs
  }

  set(isOurs: boolean): void {
    if (isOurs === this.#isOurs) return
    const before = this.#change
    this.#isOurs = isOurs
    this.#change = new AbortController()
    before.abort()
  }

  /** Works during the turns of this process and waits between them, until the signal aborts. */
  async alternate({ work, wait }: TurnWork, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const until = AbortSignal.any([signal, this.#change.signal])
      await (this.#isOurs ? work(until) : wait(until))
    }
  }
}
