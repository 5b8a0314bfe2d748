import type { Clock } from '../../runtime/clock.ts'

/** Remembers at most `most` names for a limited time: the oldest is forgotten first. */
export class RecentNames {
  readonly #limits: { forMs: number; most: number }
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #added = new Map<string, number>()

  constructor(limits: { forMs: number; most: number }, clock: Pick<Clock, 'monotonic'>) {
    this.#limits = limits
    this.#clock = clock
  }

  has(name: string): boolean {
    const added = this.#added.get(name)
    return added !== undefined && this.#clock.monotonic() - added < this.#limits.forMs
  }

  add(name: string): void {
    this.#added.delete(name)
    this.#added.set(name, this.#clock.monotonic())
    const [oldest] = this.#added.keys()
    if (this.#added.size > this.#limits.most && oldest !== undefined) this.#added.delete(oldest)
  }
}
