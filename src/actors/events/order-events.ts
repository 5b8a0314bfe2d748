import type { VerdictState } from '../../domain/verdict/verdict.ts'
import type { Evidence, Spend } from '../../schemas/evidence.ts'
import type { Watermark, WithdrawalProof } from '../../schemas/log.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import type { Judgement } from './judge-order.ts'

/** What every event carries: when its record was written, and the last watermark before it. */
export interface Moment {
  at: string
  watermark: Pick<Watermark, 'epoch' | 'n' | 'mempoolSequence' | 'tip'> | null
}

/** The events an order actor may receive. Time is an event; there is no other input. */
export type OrderEvent = Moment &
  (
    | { type: 'CREATE'; requestId: string }
    /** A state that the order had before it was logged, with its reason. */
    | { type: 'RECALL'; state: VerdictState; reason: string }
    | { type: 'IMPORT'; claim: OfferClaim; requestId: string }
    | { type: 'REVALIDATE'; requestId: string }
    /** The host has verified a seller's proof. */
    | ({ type: 'WITHDRAW'; reason?: string; requestId: string } & (
        | { by: 'seller'; proof: WithdrawalProof }
        | { by: 'operator'; operator: string }
      ))
    | { type: 'HIDE' | 'UNHIDE'; operator: string; reason?: string; requestId: string }
    | {
        type: 'SPEND_SEEN' | 'SPEND_DROPPED' | 'SPEND_CONFIRMED' | 'SPEND_UNCONFIRMED'
        spend: Spend
      }
    | {
        type: 'OUTPUT_SEEN' | 'OUTPUT_CONFIRMED' | 'OUTPUT_UNCONFIRMED' | 'OUTPUT_GONE'
        block: BlockRef | null
      }
    | { type: 'EVIDENCE'; evidence: Evidence; judgement: Judgement }
    | { type: 'RECHECK'; purpose: 'recheck' | 'audit' }
    | { type: 'CONTINUITY_LOST' }
    | { type: 'CLOSE' }
    /** Newer orders of its output take its place. */
    | { type: 'MAKE_ROOM' }
  )

export type OrderEventOf<T extends OrderEvent['type']> = OrderEvent & { type: T }
