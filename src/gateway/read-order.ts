import type { StoredOrder } from '../ports/order-views.ts'
import type { OrderSummary } from '../schemas/order.ts'
import { Hash } from '../schemas/scalars.ts'
import type { Gateway } from './gateway.ts'
import { Refusal } from './refusal.ts'
import { summarise, summariseWhole } from './summarise.ts'

/**
 * An order by its id, without its artifact.
 *
 * @throws Refusal ORDER_NOT_FOUND
 */
export async function readOrder(gateway: Gateway, id: string): Promise<OrderSummary> {
  return summarise(gateway, await findOrder(gateway, id)).summary
}

/**
 * The same for an operator: of a hidden order too, with all that was said of it.
 *
 * @throws Refusal ORDER_NOT_FOUND
 */
export async function readWholeOrder(gateway: Gateway, id: string): Promise<OrderSummary> {
  return summariseWhole(gateway, await findOrder(gateway, id))
}

/**
 * An order as it is stored. A malformed id names an order that does not exist (design: Formats).
 *
 * @throws Refusal ORDER_NOT_FOUND
 */
export async function findOrder({ views }: Gateway, id: string): Promise<StoredOrder> {
  const order = Hash.safeParse(id).success ? await views.order(id) : null
  if (order === null) throw new Refusal('ORDER_NOT_FOUND', 'there is no order with this id')
  return order
}
