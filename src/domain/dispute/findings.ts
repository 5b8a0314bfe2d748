/** What checking a bundle without a network came to. */
export interface BundleFindings {
  /** What holds by the bundle alone. */
  proved: string[]
  /** What it only says. */
  claimed: string[]
  /** What contradicts itself or its proofs: none in a sound bundle. */
  failed: string[]
}

/** Collects findings in the order in which they are made. */
export class Findings implements BundleFindings {
  readonly proved: string[] = []
  readonly claimed: string[] = []
  readonly failed: string[] = []

  /** A fact: proved if it holds, else the bundle fails. */
  require(holds: boolean, fact: string): boolean {
    if (holds) this.proved.push(fact)
    else this.failed.push(`not so: ${fact}`)
    return holds
  }

  /** The same, but said only if it does not hold. */
  expect(holds: boolean, fact: string): boolean {
    if (!holds) this.failed.push(`not so: ${fact}`)
    return holds
  }
}
