import { setTimeout as delay } from 'node:timers/promises'

const OK = 200

/** Requests a page repeatedly, one at a time. */
export class Pages {
  readonly #asking: Promise<void>
  #isOver = false
  #slowestMs = 0

  constructor(url: string, everyMs: number) {
    this.#asking = this.#ask(url, everyMs)
    // It is thrown where the figure is asked for.
    this.#asking.catch(() => undefined)
  }

  async #ask(url: string, everyMs: number): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now()
      const answer = await fetch(url)
      await answer.arrayBuffer()
      if (answer.status !== OK) throw new Error(`${url} answered ${answer.status}`)
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - begun)
      await delay(everyMs)
    }
  }

  /** Throws where a page was refused: that is no page, however fast. */
  async slowestMs(): Promise<number> {
    this.#isOver = true
    await this.#asking
    return this.#slowestMs
  }
}
