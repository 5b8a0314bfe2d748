import type { Inspected } from '../domain/inspect.ts'
import { orderIdOf } from '../domain/order-id.ts'
import { LOG_SCHEMA } from '../schemas/log.ts'
import type { OrderSummary } from '../schemas/order.ts'
import type { OfferClaim, OrderRecord } from '../schemas/order-record.ts'
import { awaitOutcome } from './await-outcome.ts'
import type { Gateway } from './gateway.ts'
import { summarise } from './summarise.ts'

/** What somebody says of an artifact: evidence, never proof. */
export type Saying = Pick<OfferClaim, 'source' | 'protocolId' | 'token' | 'published' | 'notes'>

/** Hands an inspected artifact to the order that it authorises, and waits for its verdict. */
export async function submitClaim(
  gateway: Gateway,
  inspected: Inspected,
  saying: Saying,
  signal: AbortSignal,
): Promise<{ order: OrderRecord; summary: OrderSummary }> {
  const { artifact, inspection, offer, claimedPrevout } = inspected
  const stored = await awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'import',
      requestId: gateway.newRequestId(),
      orderId: orderIdOf(gateway.settings.network, inspected),
      outpoint: offer.outpoint,
      at: saying.source.observedAt,
      claim: { artifact, inspection, offer, claimedPrevout, ...saying },
    },
    signal,
  )
  return { order: stored.order, summary: summarise(gateway, stored).summary }
}
