import type { WebhookFilter } from '../../schemas/webhooks/webhook-records.ts'
import type { Gateway } from '../gateway.ts'
import { listFilters } from '../reading/list-orders.ts'
import type { FollowedOrders } from '../streaming/changed-orders.ts'
import { refuseBoth, staleMsOf } from '../streaming/stream-query.ts'

/**
 * What is sent to an endpoint, as a stream has it.
 *
 * @throws RefusalError VALIDATION_FAILED (seller, or `orderId` beside others)
 */
export function followedBy(
  gateway: Pick<Gateway, 'settings'>,
  { orderId, ...listed }: WebhookFilter,
): FollowedOrders {
  const filters = listFilters(gateway, listed)
  refuseBoth(orderId, filters)
  return { orderId, filters, staleMs: staleMsOf(gateway) }
}
