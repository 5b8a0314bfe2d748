import type { StoredOrder } from '../ports/order-views.ts'
import { LOG_SCHEMA } from '../schemas/log.ts'
import type { OrderSummary } from '../schemas/order.ts'
import { awaitOutcome } from './await-outcome.ts'
import type { Gateway } from './gateway.ts'
import { findOrder } from './read-order.ts'
import { summarise } from './summarise.ts'

/**
 * The order after a fresh verification by both authorities. While one is away nothing changes.
 *
 * @throws Refusal ORDER_NOT_FOUND, NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function revalidateOrder(
  gateway: Gateway,
  id: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const known = await findOrder(gateway, id)
  return summarise(gateway, await recheck(gateway, known, signal)).summary
}

/** The same for an order in hand, as it is stored. */
export const recheck = (
  gateway: Gateway,
  { order }: StoredOrder,
  signal: AbortSignal,
): Promise<StoredOrder> =>
  awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'revalidate',
      requestId: gateway.newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      at: new Date(gateway.clock.now()).toISOString(),
    },
    signal,
  )
