/** The result of checking a bundle without a network. */
export interface BundleFindings {
  /** What the bundle alone proves. */
  proved: string[]
  /** What it only states. */
  claimed: string[]
  /** What contradicts itself or its proofs: none in a sound bundle. */
  failed: string[]
  /** Whether the key that the verifier knows signed it. */
  isSigned: boolean
}

/** Collects findings in the order in which they are made. */
export class Findings implements BundleFindings {
  readonly proved: string[] = []
  readonly claimed: string[] = []
  readonly failed: string[] = []
  isSigned = false
  /** Whether facts about the order are proved if they hold: see `whyOrderUnproved`. */
  isOrderProved = false

  /** A fact: proved if it holds, else the bundle fails. */
  require(holds: boolean, fact: string): boolean {
    if (holds) this.proved.push(fact)
    else this.failed.push(`not so: ${fact}`)
    return holds
  }

  /** As `require`; what is not proved even if it holds is claimed. */
  weigh(holds: boolean, isProof: boolean, fact: string): boolean {
    if (!holds || isProof) return this.require(holds, fact)
    this.claimed.push(fact)
    return true
  }

  /** As `require`, but reported only if it does not hold. */
  expect(holds: boolean, fact: string): boolean {
    if (!holds) this.failed.push(`not so: ${fact}`)
    return holds
  }
}
