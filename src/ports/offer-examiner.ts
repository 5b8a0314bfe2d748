import type { Evidence } from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'

/** Asks node and index about an offer that is no order yet. */
export interface OfferExaminer {
  /**
   * Everything that a verdict on these wrappers of one offer needs; without a wrapper, everything
   * about the output (`txid:vout`) alone. An authority that is away is an answer too.
   */
  examine(outpoint: string, claims: readonly OfferClaim[]): Promise<Evidence>
  /** The same of the node alone: whether the owner of the output signed. */
  examineProof(outpoint: string, claims: readonly OfferClaim[]): Promise<Evidence>
}
