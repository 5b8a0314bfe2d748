import type { Begun, Evidence, NodeTrouble } from '../../schemas/evidence.ts'
import type { RefusedOutcome } from '../../schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { UnprovedChange } from '../../schemas/unproved.ts'

export type OfferToJudge =
  | (AskedOffer & { claim: OfferClaim; known: null; begun: Begun | null })
  /** Without a claim it is only rechecked. */
  | (AskedOffer & { claim: OfferClaim | null; known: OrderRecord; begun: null })

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
  /** Why the node gave no answer: the order is as it was, if it was judged before. */
  away?: NodeTrouble
  /** The order has no room for the wrapper, even after this check. */
  refused?: RefusedOutcome
  /** Everything a verdict needs, if it was asked after a watermark, and answered. */
  evidence?: Evidence
}

/** Judges orders outside the log by the node alone; the index is not asked about the unproved. */
export interface OfferJudge {
  /** Throws once `over` has aborted. */
  judge(offer: OfferToJudge, signal?: AbortSignal): Promise<JudgedOffer>
  /** Would an import of the wrapper change an order of the log, or have it judged again? */
  bringsNews(known: OrderRecord, claim: OfferClaim): boolean
}
