import type { OutputEvidence, ReadyNode } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import { isProvedBy } from './proved.ts'

/** Why the offer is not proved to be its owner's: a closed list. */
export type Unproved = 'unknown_output' | 'spent_output' | 'bad_signature'

/**
 * Null once the node's answer proves it (`isProvedBy`), before any verdict. A missing or spent
 * output cannot be proved yet, or any more.
 */
export function whyUnproved({ inspection, offer }: OfferClaim, node: ReadyNode): Unproved | null {
  const gone = [node.output, ...node.funding.map(({ output }) => output)].find(isGone)
  if (gone) return gone.status === 'missing' ? 'unknown_output' : 'spent_output'
  const checked = node.signatures.find(({ digest }) => digest === inspection.digest)
  // No verdict on a bid gives a reason that proves: its signatures must be complete, and relayed.
  const reason = offer.side === 'ASK' ? checked?.reason : null
  const said = { signature: checked?.status ?? 'UNAVAILABLE', reason: reason ?? '' }
  return isProvedBy(said) ? null : 'bad_signature'
}

const isGone = ({ status }: OutputEvidence): boolean => status !== 'unspent'

/** Only a reorg can change it. */
export const isUnprovedForGood = (unproved: Unproved, { output }: ReadyNode): boolean =>
  unproved === 'bad_signature' ||
  (unproved === 'spent_output' && output.status === 'spent' && output.confirmed)
