import type { NodeEvidence, OutputEvidence } from '../schemas/evidence.ts'
import type { Offer } from '../schemas/order-record.ts'

/** An input that a bid brings itself: its place among all, and what the node says of its output. */
export interface FundingInput {
  inputIndex: number
  output: OutputEvidence
}

/** The input that the `at`-th of a bid's own outputs stands at: the offered one is left out. */
export const fundingIndex = ({ sellerIndex }: Pick<Offer, 'sellerIndex'>, at: number): number =>
  at < sellerIndex ? at : at + 1

/** A bid's own inputs, in order; what the node was not asked about counts as missing. */
export function fundingOf(
  offer: Offer,
  { funding }: Extract<NodeEvidence, { status: 'ready' }>,
): FundingInput[] {
  return offer.funding.map((outpoint, at) => ({
    inputIndex: fundingIndex(offer, at),
    output: funding.find((known) => known.outpoint === outpoint)?.output ?? { status: 'missing' },
  }))
}
