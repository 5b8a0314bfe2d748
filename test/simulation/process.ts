import { Closer } from '../../src/roles/context/closer.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { FaultKind, Faults } from './faults.ts'
import type { Scheduler } from './scheduler.ts'

/** A call's kind: a write may fail before or after it took effect, a read only fails. */
export type CallKind = 'write' | 'ask' | 'read'

export interface Call<T> {
  kind: CallKind
  /** For the trace: which part, which method. */
  name: string
  /** Happens in one moment; what it throws is the answer. */
  effect(): T
  /** The error for the caller when the part fails. */
  trouble(): Error
}

/** Where every seed's time begins, Unix milliseconds. */
export const EPOCH_MS = Date.UTC(2030, 0, 1)
const LATENCY_MS = 40
const LONGEST_DELAY_MS = 30_000

/**
 * One process of the service: all its calls of the world go through here, so that it can die at any
 * call. Calls of a dead process are never answered, and it does nothing more.
 */
export class Process {
  readonly name: string
  readonly closer = new Closer()
  readonly clock: Clock
  isAlive = true
  /** Its wall clock against the true one, milliseconds. */
  skewMs = 0
  readonly #scheduler: Scheduler
  readonly #faults: Faults
  readonly #onDeath: (() => void)[] = []

  /** An observer is answered at once: it has no faults, and nothing moves meanwhile. */
  readonly #isVisitor: boolean

  constructor(name: string, scheduler: Scheduler, faults: Faults, { isVisitor = false } = {}) {
    this.name = name
    this.#isVisitor = isVisitor
    this.#scheduler = scheduler
    this.#faults = faults
    this.clock = {
      now: () => EPOCH_MS + scheduler.now + this.skewMs,
      monotonic: () => scheduler.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      turn: () => new Promise((resolve) => this.soon('turn', resolve)),
    }
  }

  onDeath(then: () => void): void {
    this.#onDeath.push(then)
  }

  kill(): void {
    if (!this.isAlive) return
    this.isAlive = false
    for (const then of this.#onDeath) then()
  }

  /** Later, if it is still alive then. */
  soon(name: string, run: () => void): void {
    this.#scheduler.ready(`${this.name} ${name}`, () => {
      if (this.isAlive) run()
    })
  }

  /** After this long, if it is still alive then. */
  later(ms: number, name: string, run: () => void): void {
    this.#scheduler.after(ms, `${this.name} ${name}`, () => {
      if (this.isAlive) run()
    })
  }

  call<T>(call: Call<T>): Promise<T> {
    if (this.#isVisitor) return Promise.resolve().then(call.effect)
    return new Promise((resolve, reject) => {
      const arrive = () => {
        if (!this.isAlive) return
        const fault = this.#faults.ofCall(call.kind)
        if (fault === 'delay') {
          this.#scheduler.after(this.#delayMs(), `${this.name} ${call.name} late`, arrive)
          return
        }
        this.#answer(call, fault, resolve, reject)
      }
      if (this.#scheduler.dice.chance(0.25)) {
        const ms = this.#scheduler.dice.below(LATENCY_MS)
        this.#scheduler.after(ms, `${this.name} ${call.name}`, arrive)
      } else {
        this.#scheduler.ready(`${this.name} ${call.name}`, arrive)
      }
    })
  }

  #answer<T>(
    { effect, trouble }: Call<T>,
    fault: FaultKind | null,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    if (fault === 'crash before a call') this.kill()
    else if (fault === 'failed call') reject(trouble())
    else {
      try {
        const value = effect()
        if (fault === 'crash after a write') this.kill()
        else if (fault === 'outcome unknown') reject(trouble())
        else resolve(value)
      } catch (error) {
        reject(error)
      }
    }
  }

  #delayMs(): number {
    const { dice } = this.#scheduler
    return dice.below(dice.chance(0.2) ? LONGEST_DELAY_MS : 1_000)
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        signal?.removeEventListener('abort', wake)
        if (this.isAlive) resolve()
      }
      signal?.addEventListener('abort', wake)
      this.#scheduler.after(ms, `${this.name} wakes`, wake)
    })
  }
}
