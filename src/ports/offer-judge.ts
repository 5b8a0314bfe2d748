import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import type { UnprovedChange } from '../schemas/unproved.ts'

export type OfferToJudge =
  | (Asked & { claim: OfferClaim; known: null })
  /** Without a claim it is only looked at again. */
  | (Asked & { claim: OfferClaim | null; known: OrderRecord })

interface Asked {
  orderId: string
  /** ISO 8601. */
  at: string
}

export interface JudgedOffer {
  order: OrderRecord
  /** What this look changed of its state, in order. */
  changes: UnprovedChange[]
  /** The owner of the offered output signed it: it may enter the log. */
  isProved: boolean
}

/** Judges what is in no log by what the node says; the index is asked about nothing that is unproved. */
export interface OfferJudge {
  judge(offer: OfferToJudge): Promise<JudgedOffer>
}
