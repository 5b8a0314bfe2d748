import type { NodeEvidence, OutputEvidence } from '../../schemas/evidence.ts'
import type { Offer } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'

/** One of a bid's own inputs: its index among all, and what the node says about its output. */
export interface FundingInput {
  inputIndex: number
  outpoint: string
  output: OutputEvidence
}

/** The input index of the `at`-th of a bid's own outputs: the offered one is skipped. */
export const fundingIndex = ({ sellerIndex }: Pick<Offer, 'sellerIndex'>, at: number): number =>
  at < sellerIndex ? at : at + 1

/** A bid's own inputs, in order; those the node was not asked about count as missing. */
export function fundingOf(
  offer: Offer,
  { funding }: Extract<NodeEvidence, { status: 'ready' }>,
): FundingInput[] {
  return offer.funding.map((outpoint, at) => ({
    inputIndex: fundingIndex(offer, at),
    outpoint,
    output: funding.find((known) => known.outpoint === outpoint)?.output ?? { status: 'missing' },
  }))
}

/** The output by the node's answer; null if the node has no such output. */
export const utxoOf = (output: OutputEvidence): TxOut | null =>
  output.status === 'missing' ? null : output.output

/** In sats; an unknown output counts as 0. */
export const sumOf = (outputs: readonly (TxOut | null)[]): bigint =>
  outputs.reduce((sum, output) => sum + BigInt(output?.valueSats ?? 0), 0n)
