import type { NodeEvidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { TxOut } from '../../schemas/scalars.ts'
import { fundingOf, utxoOf } from './funding.ts'

/** An input whose output the PSBT describes otherwise than the node does. */
export interface Contradiction {
  inputIndex: number
  outpoint: string
  claimed: TxOut
  known: TxOut
}

/**
 * What the PSBT says about an output is the sender's claim; a bid may make one for every input. An
 * output that the node does not give contradicts nothing.
 */
export function contradictionsOf(
  { offer, inspection, claimedPrevout }: OfferClaim,
  node: Extract<NodeEvidence, { status: 'ready' }>,
): Contradiction[] {
  const { sellerIndex, outpoint } = offer
  const offered = {
    inputIndex: sellerIndex,
    outpoint,
    claimed: claimedPrevout,
    known: utxoOf(node.output),
  }
  const own = offer.side === 'BID' ? fundingOf(offer, node) : []
  const funding = own.map(({ inputIndex, outpoint, output }) => ({
    inputIndex,
    outpoint,
    claimed: inspection.inputWitnessUtxos[inputIndex] ?? null,
    known: utxoOf(output),
  }))
  return [offered, ...funding].flatMap(({ claimed, known, ...input }) =>
    claimed && known && differ(claimed, known) ? [{ ...input, claimed, known }] : [],
  )
}

const differ = (one: TxOut, other: TxOut): boolean =>
  one.valueSats !== other.valueSats || one.scriptHex !== other.scriptHex
