import type { NodeEvidence, OutputEvidence } from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'

/** Why nobody has shown that the offer is its owner's: a closed list. */
export type Unproved = 'unknown_output' | 'spent_output' | 'bad_signature'

type ReadyNode = Extract<NodeEvidence, { status: 'ready' }>

/**
 * Null once a signature of the offered output's owner was verified against the node's prevout, also
 * one that lacks its sighash byte; of a bid those of all its funding inputs. What is not there or
 * was spent cannot be proved any more, or not yet.
 */
export function whyUnproved({ inspection, offer }: OfferClaim, node: ReadyNode): Unproved | null {
  const gone = [node.output, ...node.funding.map(({ output }) => output)].find(isGone)
  if (gone) return gone.status === 'missing' ? 'unknown_output' : 'spent_output'
  const checked = node.signatures.find(({ digest }) => digest === inspection.digest)
  const isRecoverable =
    offer.side === 'ASK' && checked?.reason === 'sighash_byte_missing_recoverable'
  return checked?.status === 'VALID' || isRecoverable ? null : 'bad_signature'
}

const isGone = ({ status }: OutputEvidence): boolean => status !== 'unspent'

/** Nothing but a reorg changes it. */
export const isUnprovedForGood = (unproved: Unproved, { output }: ReadyNode): boolean =>
  unproved === 'bad_signature' ||
  (unproved === 'spent_output' && output.status === 'spent' && output.confirmed)
