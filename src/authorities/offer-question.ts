import type { Begun } from '../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/** A question to node and index about an offer. */
export interface OfferQuestion extends Begun {
  /** `txid:vout` of the offered output. */
  outpoint: OutpointText
  /** The wrappers to be judged, the kept one first. */
  claims: readonly OfferClaim[]
  /** What the order's own log says about the output: further evidence that it existed. */
  known: Pick<OrderRecord, 'spend' | 'outputBlock'>
}
