import { capabilityOf } from '../../domain/catalog/catalog.ts'
import { showAnswer } from '../../domain/order/stored-answer.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { OrderId } from '../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import type { Gateway } from '../gateway.ts'
import { RefusalError } from '../refusal.ts'
import { freshnessTerms, summarise, summariseWhole } from './summarise.ts'
import { asStored } from './unproved-entry.ts'

/**
 * An order by its id, without its artifact.
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
export async function readOrder(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  id: string,
): Promise<OrderSummary> {
  return summarise(gateway, await findOrder(gateway, id)).summary
}

/**
 * An order by its id, as the text of its JSON, with a strong ETag without its quotes if it is
 * proved.
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
export async function readOrderText(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  id: string,
): Promise<{ body: string; tag?: string }> {
  const { views } = gateway
  const { data: orderId } = OrderId.safeParse(id)
  const found = orderId === undefined ? null : await views.answer(orderId)
  if (!found) return { body: JSON.stringify(await readOrder(gateway, id)) }
  const observed = { order: found.answer, freshness: found.freshness }
  return showAnswer(observed, { ...freshnessTerms(gateway), capabilityOf })
}

/**
 * An order by its id for an operator: includes hidden orders and all their text.
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
export async function readWholeOrder(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'settings'>,
  id: string,
): Promise<OrderSummary> {
  return summariseWhole(gateway, await findOrder(gateway, id))
}

/**
 * An order as it is stored. A malformed id names an order that does not exist
 * (docs/design/orders.md#formats).
 *
 * @throws RefusalError ORDER_NOT_FOUND
 */
export async function findOrder(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  id: string,
): Promise<StoredOrder> {
  const found = await findAny(gateway, id)
  return 'entry' in found ? asStored(found.entry) : found.stored
}

export const orderOf = (found: AnyOrder): OrderRecord =>
  'entry' in found ? found.entry.order : found.stored.order

/** An order of the log, or one not proved yet. */
export type AnyOrder = { stored: StoredOrder } | { entry: UnprovedOrder }

/** @throws RefusalError ORDER_NOT_FOUND */
export async function findAny(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  id: string,
): Promise<AnyOrder> {
  const { data: orderId } = OrderId.safeParse(id)
  const found = orderId === undefined ? null : await lookUp(gateway, orderId)
  if (found) return found
  throw new RefusalError('ORDER_NOT_FOUND', orderId ? 'there is no order with this id' : noId(id))
}

const noId = ({ length }: string): string =>
  `id: an order id has 64 hex digits, not ${length === 64 ? 'others' : `${length} characters`}`

/** Null if no order has this id, which is well-formed. */
export async function lookUp(
  { views, pool, clock }: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  id: OrderId,
): Promise<AnyOrder | null> {
  const stored = await views.order(id)
  if (stored) return { stored }
  const entry = await pool.find(id, clock.now())
  return entry && { entry }
}
