/** The invariants that hold after every fault (docs/reliability.md), as far as a store can show them. */
export const INVARIANTS = {
  I1: 'no acknowledged command is lost',
  I2: 'no change is there twice',
  I3: 'seq has no gap and the hash chain holds',
  I4: 'only edges of the statechart',
  I5: 'the views are the fold of the log',
  I6: 'the history has the rows of the log, both ways',
  I7: 'an actor snapshot is the fold of the log',
  I8: 'a clean replay of the inputs gives the same orders',
  I9: 'live orders are what node and index say',
  I10: 'nothing became LIVE without every proof',
  I11: 'no order goes back in seq',
  I12: 'no offset is ahead of its effects',
} as const
export type Invariant = keyof typeof INVARIANTS

const SHOWN_VIOLATIONS = 20

/** What an audit looked at and found. */
export class AuditReport {
  readonly #checked = new Map<Invariant, number>()
  readonly #violations = new Map<Invariant, string[]>()
  readonly #skipped = new Map<Invariant, string>()

  check(invariant: Invariant, holds: boolean, violation: () => string): void {
    this.#checked.set(invariant, (this.#checked.get(invariant) ?? 0) + 1)
    if (holds) return
    this.#violations.set(invariant, [...(this.#violations.get(invariant) ?? []), violation()])
  }

  skip(invariant: Invariant, why: string): void {
    this.#skipped.set(invariant, why)
  }

  get isClean(): boolean {
    return this.#violations.size === 0
  }

  get violations(): readonly string[] {
    return [...this.#violations].flatMap(([invariant, found]) =>
      found.map((violation) => `${invariant} ${violation}`),
    )
  }

  /** A line an invariant, then what was found. */
  toString(): string {
    const lines = (Object.keys(INVARIANTS) as Invariant[]).map((invariant) => {
      const found = this.#violations.get(invariant)?.length ?? 0
      const checked = this.#checked.get(invariant) ?? 0
      const skipped = this.#skipped.get(invariant)
      const state = found > 0 ? `${found} VIOLATED` : skipped ? `skipped: ${skipped}` : 'ok'
      return `${invariant.padEnd(4)}${INVARIANTS[invariant].padEnd(52)}${String(checked).padStart(9)} checked  ${state}`
    })
    const shown = this.violations.slice(0, SHOWN_VIOLATIONS).map((violation) => `  ${violation}`)
    const more = this.violations.length - shown.length
    return [...lines, ...shown, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n')
  }
}
