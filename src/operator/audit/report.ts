/** The invariants that hold after every fault (docs/reliability.md), as far as a store can show them. */
export const INVARIANTS = {
  I1: 'nothing acknowledged is lost',
  I2: 'no change is recorded twice',
  I3: 'seq has no gaps, the hash chain is intact',
  I4: 'transitions are edges of the statechart',
  I5: 'views equal the fold of the log',
  I6: 'history rows and log match in both directions',
  I7: 'actor snapshots equal the fold of the log',
  I8: 'replaying the inbox gives the same log',
  I9: 'orders agree with node and index',
  I10: 'no order became LIVE or WITHDRAWN without proof',
  I11: 'readers never see an order go back',
  I12: 'no offset is ahead of its effects',
} as const
export type Invariant = keyof typeof INVARIANTS

const NAMES = Object.keys(INVARIANTS) as Invariant[]
const SHOWN_VIOLATIONS = 20

/** What an audit checked and found. */
export class AuditReport {
  readonly #checked = new Map<Invariant, number>()
  readonly #violations = new Map<Invariant, string[]>()
  readonly #skipped = new Map<Invariant, string>()
  readonly #notes: string[] = []

  /** Counts a check, and records the violation if it fails. Returns whether it holds. */
  check(invariant: Invariant, holds: boolean, violation: () => string): boolean {
    this.#checked.set(invariant, (this.#checked.get(invariant) ?? 0) + 1)
    if (holds) return true
    this.#violations.set(invariant, [...(this.#violations.get(invariant) ?? []), violation()])
    return false
  }

  /** Part of an invariant could not be checked. */
  skip(invariant: Invariant, why: string): void {
    this.#skipped.set(invariant, why)
  }

  /** Not a fault, but worth reporting to an operator. */
  note(text: string): void {
    this.#notes.push(text)
  }

  get isClean(): boolean {
    return this.#violations.size === 0
  }

  /** The invariants that do not hold. */
  get violated(): readonly Invariant[] {
    return NAMES.filter((invariant) => this.#violations.has(invariant))
  }

  get skipped(): readonly Invariant[] {
    return NAMES.filter((invariant) => this.#skipped.has(invariant))
  }

  get violations(): readonly string[] {
    return this.violated.flatMap((invariant) =>
      (this.#violations.get(invariant) ?? []).map((violation) => `${invariant} ${violation}`),
    )
  }

  /** For machines: each invariant by its name, all violations. */
  toJSON(): object {
    return {
      isClean: this.isClean,
      invariants: NAMES.map((name) => ({
        name,
        says: INVARIANTS[name],
        checked: this.#checked.get(name) ?? 0,
        violations: this.#violations.get(name) ?? [],
        skipped: this.#skipped.get(name) ?? null,
      })),
      notes: this.#notes,
    }
  }

  /** A line per invariant, the violations, the notes, and the result in words. */
  toString(): string {
    const shown = this.violations.slice(0, SHOWN_VIOLATIONS).map((violation) => `  ${violation}`)
    const more = this.violations.length - shown.length
    return [
      ...NAMES.map((invariant) => this.#line(invariant)),
      ...shown,
      ...(more > 0 ? [`  … and ${more} more`] : []),
      ...this.#notes.map((note) => `note: ${note}`),
      this.#result(),
    ].join('\n')
  }

  #line(invariant: Invariant): string {
    const found = this.#violations.get(invariant)?.length ?? 0
    const checked = String(this.#checked.get(invariant) ?? 0).padStart(9)
    const why = this.#skipped.get(invariant)
    const state = found > 0 ? `${found} VIOLATED` : why ? `skipped: ${why}` : 'ok'
    return `${invariant.padEnd(4)}${INVARIANTS[invariant].padEnd(50)}${checked} checked  ${state}`
  }

  #result(): string {
    if (!this.isClean) return `violated: ${this.violated.join(', ')}`
    if (this.skipped.length === 0) return 'clean: every invariant holds'
    return `clean as far as checked; skipped: ${this.skipped.join(', ')}`
  }
}
