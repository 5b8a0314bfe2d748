import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { StreamSnapshot } from '../../schemas/api/stream.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { findOrder } from '../order/read-order.ts'
import { type AskedFilters, asOf, freshnessTerms, summarise } from '../order/summarise.ts'
import { listPage, pageJson } from '../reading/list-page.ts'

export interface TakenSnapshot {
  /** The JSON of a `StreamSnapshot`. */
  json: string
  /** The number of the last change in each of its orders. */
  seqs: Map<OrderId, number>
}

/** The newest orders that the filters list. */
export async function snapshotOf(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  filters: AskedFilters,
  limit: number,
): Promise<TakenSnapshot> {
  const seqs = new Map<OrderId, number>()
  const moment = freshnessTerms(gateway)
  const document = (stored: StoredOrder): OrderSummary => {
    seqs.set(stored.order.id, stored.order.seq)
    return summarise(gateway, stored, moment).summary
  }
  const query = { ...asOf(moment, filters), sort: 'newest', limit } as const
  const { bodies, total, next } = await listPage(gateway, query, { document })
  return { json: snapshotJson(bodies, { total, hasMore: next !== null }), seqs }
}

/**
 * One order.
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
export async function snapshotOfOrder(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  orderId: OrderId,
): Promise<TakenSnapshot> {
  const stored = await findOrder(gateway, orderId)
  const body = Buffer.from(JSON.stringify(summarise(gateway, stored).summary))
  const seqs = new Map([[orderId, stored.order.seq]])
  return { json: snapshotJson([body], { total: 1, hasMore: false }), seqs }
}

const snapshotJson = (bodies: readonly Buffer[], rest: Omit<StreamSnapshot, 'orders'>): string =>
  pageJson(bodies, rest).toString()
