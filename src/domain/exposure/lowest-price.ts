import type { LowestPrice } from '../../schemas/api/outputs/exposure.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { signedPrice } from '../verdict/payout.ts'
import { type SeenOutput, takingOf } from './takeable.ts'

export interface LowestPrices {
  /** The lowest price of the asks that can be taken now. */
  now: LowestPrice | null
  /** The lowest price of the asks that can be taken now or later. */
  ever: LowestPrice | null
}

export const NO_PRICE: LowestPrices = { now: null, ever: null }

/**
 * The lowest prices after further asks of one output, which come sorted by price: the first of each
 * kind. Once `now` is known, no later ask changes anything.
 */
export function lowestPrices(
  before: LowestPrices,
  sorted: readonly OrderRecord[],
  seen: SeenOutput,
): LowestPrices {
  let { now, ever } = before
  for (const order of sorted) {
    if (now !== null) break
    const { takeable, notBefore } = takingOf(order, seen)
    const signedPriceSats = signedPrice(order.kept.offer, null)
    if (signedPriceSats === null || (takeable !== 'NOW' && takeable !== 'LATER')) continue
    const price = { orderId: order.id, signedPriceSats, notBefore }
    ever ??= price
    if (takeable === 'NOW') now = price
  }
  return { now, ever }
}
