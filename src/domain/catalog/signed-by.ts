import type { OrderSide } from '../../schemas/scalars.ts'

/** Who signed what, as every scope of verification says it for both sides. */
export const SIGNED_BY_EITHER =
  'the seller of an ask signed its payout for it, or the buyer of a bid the whole purchase'

const SIGNED_BY: Readonly<Record<OrderSide, string>> = {
  ASK: 'the seller signed this payout for it',
  BID: 'the buyer signed the whole purchase, which pays its owner',
}

/** What a scope calls the output, as an ask's does. */
const OUTPUT: Readonly<Record<OrderSide, string>> = { ASK: 'offered output', BID: 'wanted output' }

/** A catalog's `verificationScope` for an order of one side. */
export const scopeFor = (side: OrderSide, scope: string): string =>
  scope.replace(SIGNED_BY_EITHER, SIGNED_BY[side]).replace(OUTPUT.ASK, OUTPUT[side])
