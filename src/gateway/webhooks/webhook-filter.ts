import type { WebhookFilter } from '../../schemas/webhooks/webhook-records.ts'
import type { Gateway } from '../gateway.ts'
import { listFilters } from '../reading/list-orders.ts'
import type { AskedFilters } from '../reading/summarise.ts'
import { refuseBoth } from '../streaming/stream-changes.ts'

/**
 * The filters of a list, as a stream has them; null for those of one order, which is always sent.
 *
 * @throws RefusalError VALIDATION_FAILED (seller, or `orderId` beside others)
 */
export function webhookFilters(
  gateway: Pick<Gateway, 'settings'>,
  { orderId, ...listed }: WebhookFilter,
): AskedFilters | null {
  const filters = listFilters(gateway, listed)
  refuseBoth(orderId, filters)
  return orderId === undefined ? filters : null
}
