import { createHash } from 'node:crypto'
import { type Dice, dice } from '../support/orders/order-book.ts'

/**
 * Something that may happen now: a write that lands, an answer that arrives, a sleeper that wakes.
 */
export interface Task {
  /** Its name in the trace. */
  name: string
  run(): void
}

interface Timer extends Task {
  at: number
  /** Of two at one moment the one set first comes first. */
  order: number
}

/** The event loop's own, before it is taken away (see real-time.ts). */
const { setImmediate } = globalThis
const { nextTick } = process
/** Steps after which the event loop itself has a turn. */
const STEPS_OF_A_TURN = 100

/** Shares of steps in which time passes although something is ready to happen. */
const IMPATIENCE = 0.04
const TRACE_LINES = 200_000
/** Characters. */
const DIGESTED_AT_ONCE = 64_000

/**
 * Everything that happens in a seed happens here, one task after another: which one is next, and
 * how late, follows from the seed alone. Between two tasks every pending promise runs to its end.
 */
export class Scheduler {
  readonly dice: Dice
  /** Virtual milliseconds since the seed began. */
  now = 0
  steps = 0
  /** Every line of the trace, for a reader. */
  readonly lines: string[] | null
  readonly #digest = createHash('sha256')
  /** The part of the trace that is not in the digest yet. */
  #text = ''
  readonly #ready: Task[] = []
  readonly #timers: Timer[] = []
  #order = 0

  constructor(seed: number, { keepsLines = false } = {}) {
    this.dice = dice(seed)
    this.lines = keepsLines ? [] : null
  }

  ready(name: string, run: () => void): void {
    this.#ready.push({ name, run })
  }

  after(ms: number, name: string, run: () => void): void {
    const timer = { at: this.now + ms, order: this.#order++, name, run }
    this.#timers.push(timer)
    let child = this.#timers.length - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (isBefore(this.#timers[parent]!, timer)) break
      this.#timers[child] = this.#timers[parent]!
      child = parent
    }
    this.#timers[child] = timer
  }

  trace(line: string): void {
    const whole = `${this.now} ${line}`
    this.#text += whole
    if (this.#text.length > DIGESTED_AT_ONCE) this.#digestText()
    if (this.lines && this.lines.length < TRACE_LINES) this.lines.push(whole)
  }

  /** Of everything that happened; ends the trace. */
  digest(): string {
    this.#digestText()
    return this.#digest.digest('hex')
  }

  #digestText(): void {
    this.#digest.update(this.#text)
    this.#text = ''
  }

  /** Runs until it is true, or nothing is left to happen; false: the moment came first. */
  async until(isSo: () => boolean, moment: number): Promise<boolean> {
    while (!isSo()) {
      if (this.now > moment || !(await this.step())) return false
    }
    return true
  }

  /** One task and everything that follows from it at once; false: there is none. */
  async step(): Promise<boolean> {
    const task = this.#next()
    if (!task) return false
    this.steps += 1
    this.trace(task.name)
    task.run()
    // A tick comes when no promise is pending any longer, as the loop's next turn does, but much
    // sooner.
    const turn = this.steps % STEPS_OF_A_TURN === 0 ? setImmediate : nextTick
    await new Promise<void>((resolve) => turn(resolve))
    return true
  }

  #next(): Task | undefined {
    const { length } = this.#ready
    const isWaiting = this.#timers.length > 0
    if (length === 0 || (isWaiting && this.dice.chance(IMPATIENCE))) return this.#nextTimer()
    const at = this.dice.below(length)
    const task = this.#ready[at]
    const last = this.#ready.pop()
    if (last && at < this.#ready.length) this.#ready[at] = last
    return task
  }

  #nextTimer(): Timer | undefined {
    const [first] = this.#timers
    const last = this.#timers.pop()
    if (!first || !last) return undefined
    this.now = Math.max(this.now, first.at)
    if (this.#timers.length > 0) this.#sink(last)
    return first
  }

  #sink(timer: Timer): void {
    const { length } = this.#timers
    let parent = 0
    for (;;) {
      let child = 2 * parent + 1
      if (child >= length) break
      const right = this.#timers[child + 1]
      if (right && isBefore(right, this.#timers[child]!)) child += 1
      if (isBefore(timer, this.#timers[child]!)) break
      this.#timers[parent] = this.#timers[child]!
      parent = child
    }
    this.#timers[parent] = timer
  }
}

const isBefore = (a: Timer, b: Timer): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
