import type { OrderState, OrderSummary } from 'psbt-market-client'

/** States in which an order may name what only a source claims: the service shows nothing of that. */
const CLAIMED: ReadonlySet<OrderState> = new Set(['PENDING_NODE', 'PENDING_ASSET', 'REJECTED'])

/** Has the index proved that what the order names is in its output? A withdrawn one may never have been asked about. */
export const isProved = ({ assets, state, validation: { assetStatus } }: OrderSummary): boolean =>
  assets.length > 0 &&
  !CLAIMED.has(state) &&
  assetStatus !== 'MISMATCH' &&
  (state !== 'WITHDRAWN' || assetStatus === 'VERIFIED')

export const isHidden = ({ validation }: OrderSummary): boolean =>
  validation.reasons.includes('hidden_by_operator')

/** The first that an order sells, if pages may show it, though its content was read before. */
export const shownAsset = (order: OrderSummary): OrderSummary['assets'][number] | undefined =>
  isProved(order) && !isHidden(order) ? order.assets[0] : undefined
