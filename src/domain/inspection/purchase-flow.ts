import type { PurchaseFlow } from '../../schemas/api/inspection.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import { sumOf, utxoOf } from '../verdict/funding.ts'
import { payoutsToOwner } from '../verdict/payout.ts'

/**
 * Who pays what when the offer is bought, all in sats; null if no source gives the value of the
 * offered output, or there is no payout. The node's value takes precedence over a claimed one.
 */
export function purchaseFlow(
  { offer, claimedPrevout, inspection }: OfferClaim,
  evidence: Evidence,
): PurchaseFlow | null {
  const node = evidence.node.status === 'ready' ? evidence.node : null
  const known = node ? utxoOf(node.output) : null
  const input = known ?? claimedPrevout
  if (!input || inspection.orderClass === 'UNSUPPORTED') return null
  const isAsk = offer.side === 'ASK'
  const payouts = payoutsToOwner(offer, input)
  if (payouts.length === 0) return null
  const own = BigInt(input.valueSats)
  const payout = sumOf(payouts)
  const funding = node?.funding.map(({ output }) => utxoOf(output)) ?? []
  const isFunded = !isAsk && known !== null && funding.length === offer.funding.length
  const brought = isFunded && !funding.includes(null) ? own + sumOf(funding) : null
  const fee = brought === null ? null : brought - sumOf(offer.payouts)
  return {
    side: offer.side,
    valueFrom: known ? 'NODE' : 'PSBT',
    sellerInputSats: own.toString(),
    postageSats: own.toString(),
    payoutSats: payout.toString(),
    grossPriceSats: payout.toString(),
    netPriceSats: (payout - own).toString(),
    marketplaceFeeSats: '0',
    creatorRoyaltySats: '0',
    networkFeePaidBy: 'BUYER',
    ...(fee !== null && fee >= 0n && { networkFeeSats: fee.toString() }),
  }
}
