import type { FaultKind } from './faults.ts'
import type { SeedResult } from './run-seed.ts'

/** The summary of many seeds. */
export class Tally {
  seeds = 0
  readonly violated: { seed: number; invariant: string; what: string }[] = []
  readonly #began = performance.now()
  readonly #faults = new Map<FaultKind, number>()
  #events = 0
  #orders = 0
  #steps = 0

  add({ seed, events, orders, steps, faults, violations }: SeedResult): void {
    this.seeds += 1
    this.#events += events
    this.#orders += orders
    this.#steps += steps
    for (const [kind, count] of faults) {
      this.#faults.set(kind, (this.#faults.get(kind) ?? 0) + count)
    }
    const [first] = violations
    if (first) this.violated.push({ seed, ...first })
  }

  get perSecond(): number {
    return this.seeds / ((performance.now() - this.#began) / 1_000)
  }

  toString(): string {
    const each = (total: number) => Math.round(total / Math.max(1, this.seeds))
    const faults = [...this.#faults].sort(([, a], [, b]) => b - a)
    return [
      'faults that happened:',
      ...faults.map(([kind, count]) => `${String(count).padStart(9)}  ${kind}`),
      `a seed: ${each(this.#orders)} orders, ${each(this.#events)} events, ${each(this.#steps)} steps`,
      ...this.violated.map(
        ({ seed, invariant, what }) => `seed ${seed} violates ${invariant}: ${what}`,
      ),
      `${this.seeds} seeds, ${this.perSecond.toFixed(2)} a second, ${this.violated.length} with a violation`,
    ].join('\n')
  }
}
