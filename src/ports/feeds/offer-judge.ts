import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { UnprovedChange } from '../../schemas/unproved.ts'

export type OfferToJudge =
  | (AskedOffer & { claim: OfferClaim; known: null })
  /** Without a claim it is only rechecked. */
  | (AskedOffer & { claim: OfferClaim | null; known: OrderRecord })

interface AskedOffer {
  orderId: OrderId
  /** ISO 8601. */
  at: string
}

export interface JudgedOffer {
  order: OrderRecord
  /** The changes of its state from this check, in order. */
  changes: UnprovedChange[]
  /** The owner of the offered output signed it: it may enter the log. */
  isProved: boolean
}

/** Judges orders outside the log by the node alone; the index is not asked about the unproved. */
export interface OfferJudge {
  /** Throws once `signal` has aborted. */
  judge(offer: OfferToJudge, signal?: AbortSignal): Promise<JudgedOffer>
}
