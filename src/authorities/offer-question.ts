import type { WatermarkRef } from '../schemas/evidence.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/** A question to node and index about an offer. */
export interface OfferQuestion {
  /** `txid:vout` of the offered output. */
  outpoint: OutpointText
  begunAt: WatermarkRef | null
  mempoolSequence: number | null
  /** The wrappers to be judged, the kept one first. */
  claims: readonly OfferClaim[]
  /** What the order's own log says about the output: further evidence that it existed. */
  known: Pick<OrderRecord, 'spend' | 'outputBlock'>
}
