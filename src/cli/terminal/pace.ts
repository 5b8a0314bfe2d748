import type { Progress } from '../../operator/log/progress.ts'

/** The window of the rate, milliseconds: it follows work that becomes slower. */
const WINDOW_MS = 10_000
/** Shorter than this says nothing. */
const LEAST_MS = 1_000
const UNITS = ['', 'k', 'M', 'G']

interface Point {
  at: number
  done: number
}

/** The rate of a step, and how long the rest of it takes at that rate. */
export class Pace {
  #step: string | null = null
  #points: Point[] = []

  /** Text to follow the counts: ` 1.2k/s, 3 m 20 s left`; empty until there is a rate. */
  after({ step, done, all }: Progress, now: number): string {
    if (step !== this.#step) this.#points = []
    this.#step = step
    const last = this.#points.at(-1)
    // A point every tenth of the window is enough, for any number of calls.
    if (!last || now - last.at >= WINDOW_MS / 10) this.#points.push({ at: now, done })
    while (this.#points.length > 2 && now - (this.#points[1]?.at ?? now) >= WINDOW_MS)
      this.#points.shift()
    const [first] = this.#points
    const ms = now - (first?.at ?? now)
    const perSecond = ((done - (first?.done ?? done)) / ms) * 1_000
    if (ms < LEAST_MS || !(perSecond > 0)) return ''
    const left = all === null || done >= all ? '' : `, ${lasting((all - done) / perSecond)} left`
    return `  ${short(perSecond)}/s${left}`
  }
}

function short(count: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(count) / 3)))
  const scaled = count / 1_000 ** power
  return `${scaled >= 10 ? Math.round(scaled) : Number(scaled.toPrecision(2))}${UNITS[power]}`
}

function lasting(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} m ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} m`
}
