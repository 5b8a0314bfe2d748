/**
 * The paths of what a bundle only states: its author could have written another value there
 * (docs/disputes.md#what-is-only-said). In a bundle with nothing withheld, the hashes of the
 * changes cover all of them.
 */
export const UNPROVED_CLAIMS = [
  { path: 'changes.*.reason', of: 'a withheld change whose verdict is not given again' },
  { path: 'changes.*.actor', of: 'a withheld change' },
  { path: 'changes.*.observedAt', of: 'a withheld change' },
  { path: 'changes.*.evidence', of: 'a withheld change, beyond what proofs and verdicts say' },
  { path: 'order.reason', of: 'an order whose last change is withheld' },
  { path: 'order.claim', of: 'an order whose artifact is withheld, beyond its terms' },
  { path: 'order.indexProof', of: 'an order with withheld changes: answers of the index' },
  { path: 'order.settlement', of: 'an order with withheld changes: when it was seen' },
] as const

/** Is the dotted path in one of these parts? */
export const isUnproved = (path: string): boolean =>
  UNPROVED_CLAIMS.some((claim) => {
    const steps = path.split('.')
    return claim.path.split('.').every((step, at) => step === '*' || step === steps[at])
  })
