import type { OrderSide } from '../../schemas/scalars.ts'

/** Who signed what, as every scope of verification says it for both sides. */
export const SIGNED_BY_EITHER =
  'the seller of an ask signed its payout for it, or the buyer of a bid the whole purchase'

const SIGNED_BY: Readonly<Record<OrderSide, string>> = {
  ASK: 'the seller signed this payout for it',
  BID: 'the buyer signed the whole purchase, which pays its owner',
}

/** What an order does with the output that changes hands: an ask offers it, a bid names the output it wants. */
export const OUTPUT_IS = { ASK: 'offered', BID: 'wanted' } as const satisfies Record<
  OrderSide,
  string
>

/** A sentence that speaks of the offered output, for an order of one side; where none is known, an ask's. */
export const forSide = (side: OrderSide | undefined, sentence: string): string =>
  sentence.replaceAll(`${OUTPUT_IS.ASK} output`, `${OUTPUT_IS[side ?? 'ASK']} output`)

/** A catalog's `verificationScope` for an order of one side. */
export const scopeFor = (side: OrderSide, scope: string): string =>
  forSide(side, scope.replace(SIGNED_BY_EITHER, SIGNED_BY[side]))
