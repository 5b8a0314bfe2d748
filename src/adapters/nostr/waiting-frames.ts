import type { Clock } from '../../ports/clock.ts'

/** Something that came over the socket, control frames included: each costs who takes it. */
export type RelayMessage =
  | { kind: 'text'; text: string }
  | { kind: 'binary' }
  /** The answer to a ping of this Unix time: all that came before it stands before it here. */
  | { kind: 'pong'; pingedAt: number }
  /** A ping, or a pong that nobody asked for. */
  | { kind: 'noise' }

/** What came and was not taken yet, in order, and the end of it. */
export class WaitingFrames {
  #waiting: RelayMessage[] = []
  #characters = 0
  #fault: Error | null = null
  #isEnded = false
  #wake: () => void = () => {}

  get count(): number {
    return this.#waiting.length
  }

  get characters(): number {
    return this.#characters
  }

  push(message: RelayMessage): void {
    if (this.#isEnded) return
    this.#waiting.push(message)
    this.#characters += lengthOf(message)
    this.#wake()
  }

  /** What waits is still taken; then the fault is thrown, or `null` told where there is none. */
  end(fault: Error | null): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#fault = fault
    this.#wake()
  }

  /** As `end`, and what waits is thrown away. */
  drop(fault: Error | null): void {
    this.#waiting = []
    this.#characters = 0
    this.end(fault)
  }

  /** The next message, `late` when none came for `ms` milliseconds, null at the end. */
  async next(clock: Clock, ms: number): Promise<RelayMessage | 'late' | null> {
    if (this.#waiting.length === 0 && !this.#isEnded) await this.#arrival(clock, ms)
    const message = this.#waiting.shift()
    if (message) {
      this.#characters -= lengthOf(message)
      return message
    }
    if (this.#fault) throw this.#fault
    return this.#isEnded ? null : 'late'
  }

  async #arrival(clock: Clock, ms: number): Promise<void> {
    const arrived = new AbortController()
    this.#wake = () => arrived.abort()
    await clock.sleep(ms, arrived.signal)
    this.#wake = () => {}
  }
}

const lengthOf = (message: RelayMessage): number =>
  message.kind === 'text' ? message.text.length : 0
