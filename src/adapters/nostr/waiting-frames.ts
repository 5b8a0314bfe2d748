import type { Clock } from '../../runtime/clock.ts'
import { Waiters } from '../../runtime/waiters.ts'

/** A message from the socket, control frames included: each costs its reader time. */
export type RelayMessage =
  | { kind: 'text'; text: string }
  | { kind: 'binary' }
  /** The answer to a ping of this Unix time: everything that came before it is queued before it. */
  | { kind: 'pong'; pingedAt: number }
  /** A ping, or an unsolicited pong. */
  | { kind: 'noise' }

/** Messages received but not taken yet, in order, and the end of the stream. */
export class WaitingFrames {
  #waiting: RelayMessage[] = []
  #characters = 0
  #fault: Error | null = null
  #isEnded = false
  readonly #arrivals = new Waiters()

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
    this.#arrivals.tell()
  }

  /** Queued messages can still be taken; then `next` throws the fault, or returns null if none. */
  end(fault: Error | null): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#fault = fault
    this.#arrivals.tell()
  }

  /** As `end`, but queued messages are discarded. */
  drop(fault: Error | null): void {
    this.#waiting = []
    this.#characters = 0
    this.end(fault)
  }

  /** The next message, `late` when none came for `ms` milliseconds, null at the end. */
  async next(clock: Clock, ms: number): Promise<RelayMessage | 'late' | null> {
    if (this.#waiting.length === 0 && !this.#isEnded) await this.#arrivals.within(clock, ms)
    const message = this.#waiting.shift()
    if (message) {
      this.#characters -= lengthOf(message)
      return message
    }
    if (this.#fault) throw this.#fault
    return this.#isEnded ? null : 'late'
  }
}

const lengthOf = (message: RelayMessage): number =>
  message.kind === 'text' ? message.text.length : 0
