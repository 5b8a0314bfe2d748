import type { Begun, Evidence } from '../schemas/evidence.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/** Asks node and index about an offer that is not an order yet; throws once `signal` has aborted. */
export interface OfferExaminer {
  /**
   * Everything a verdict on these wrappers of one offer needs; without a wrapper, everything about
   * the output (`txid:vout`) alone. An unavailable authority is also an answer.
   */
  examine(
    outpoint: OutpointText,
    claims: readonly OfferClaim[],
    signal?: AbortSignal,
    begun?: Begun | null,
  ): Promise<Evidence>
  /**
   * The evidence of the node alone: whether the owner of the output signed. `signed`: its only
   * wrapper is an ask of an unspent output with its owner's signature, and no more was asked.
   */
  examineProof(
    outpoint: OutpointText,
    claims: readonly OfferClaim[],
    signal?: AbortSignal,
  ): Promise<Evidence | 'signed'>
}

export interface OrderExaminer {
  /**
   * As `examineProof`, and of an ask that is signed so everything a verdict needs, asked after the
   * watermark `begun`.
   */
  examineOrder(
    outpoint: OutpointText,
    claims: readonly OfferClaim[],
    begun: Begun,
    signal?: AbortSignal,
  ): Promise<ExaminedOrder>
}

export interface ExaminedOrder {
  /** As `signed` of `examineProof`. */
  isSigned: boolean
  evidence: Evidence
}
