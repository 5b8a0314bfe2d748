/** With this many of a kind in flight, no more are started. */
const MAX_AT_ONCE = 16

/** Repeats actions at a steady pace, however long each takes. */
export class Pace {
  readonly #onError: (error: string) => void
  readonly #timers: NodeJS.Timeout[] = []
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(onError: (error: string) => void) {
    this.#onError = onError
  }

  every(ms: number, act: (n: number) => Promise<void>): void {
    const own = new Set<Promise<unknown>>()
    let begun = 0
    const begin = () => {
      if (own.size >= MAX_AT_ONCE) return
      begun += 1
      const work: Promise<unknown> = act(begun)
        .catch((error: unknown) => this.#onError(String(error)))
        .finally(() => {
          own.delete(work)
          this.#underWay.delete(work)
        })
      own.add(work)
      this.#underWay.add(work)
    }
    this.#timers.push(setInterval(begin, ms))
  }

  /** Stops, and waits for actions in flight. */
  async rest(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
    await Promise.all(this.#underWay)
  }
}

/** An address in a network of its own. */
export const honestAddress = (kind: number, n: number): string => `100.${64 + kind}.${n % 256}.7`
