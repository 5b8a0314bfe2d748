import type { StoredOrder } from '../ports/order-views.ts'
import { LOG_SCHEMA } from '../schemas/log.ts'
import type { OfferClaim } from '../schemas/order-record.ts'
import { awaitOutcome } from './await-outcome.ts'
import type { Gateway } from './gateway.ts'

/** Hands a wrapper to the order that it authorises, and waits for its verdict. */
export const submitClaim = (
  gateway: Gateway,
  orderId: string,
  claim: OfferClaim,
  signal: AbortSignal,
): Promise<StoredOrder> =>
  awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'import',
      requestId: gateway.newRequestId(),
      orderId,
      outpoint: claim.offer.outpoint,
      at: claim.source.observedAt,
      claim,
    },
    signal,
  )
