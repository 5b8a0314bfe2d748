import { z } from 'zod'
import { groupIds, marketIds } from '../domain/catalog.ts'
import type { OrderQuery } from '../ports/order-views.ts'
import type { ListOrdersQuery } from '../schemas/api.ts'
import type { OrderPage } from '../schemas/order.ts'
import { Hash } from '../schemas/scalars.ts'
import type { Gateway } from './gateway.ts'
import { listPage } from './list-page.ts'
import { refuseOffset } from './paging.ts'
import { sellerScript } from './seller-script.ts'
import { summarise } from './summarise.ts'

const Position = z.strictObject({ value: z.string().nullable(), id: Hash })

/**
 * A page of orders (gateway spec 4.1; docs/design/listing.md#listing-query-semantics). Filters
 * combine with AND.
 *
 * @throws Refusal OFFSET_NOT_SUPPORTED, INVALID_CURSOR, VALIDATION_FAILED (seller)
 */
export async function listOrders(gateway: Gateway, request: ListOrdersQuery): Promise<OrderPage> {
  refuseOffset(request.offset)
  const { limit, cursor } = request
  const filters = filtersOf(gateway, request)
  const query = JSON.stringify(['orders', Object.entries(filters).sort()])
  const after = cursor === undefined ? undefined : gateway.cursors.decode(query, cursor, Position)
  const page = await listPage(gateway, { ...filters, limit, ...(after && { after }) })
  const nextCursor = page.next === null ? '' : gateway.cursors.encode(query, page.next)
  return {
    orders: page.orders.map((order) => summarise(gateway, order).summary),
    total: page.total,
    limit,
    nextCursor,
    hasMore: nextCursor !== '',
  }
}

/** Everything that selects and sorts the listed orders: a cursor is bound to it. */
function filtersOf(
  { settings }: Gateway,
  request: ListOrdersQuery,
): Omit<OrderQuery, 'limit' | 'after'> {
  const { protocol, protocols, group, seller, search, limit, cursor, offset, ...exact } = request
  const markets = intersection([
    protocol === undefined ? null : marketIds(protocol),
    protocols === undefined ? null : protocols.split(',').flatMap((id) => marketIds(id.trim())),
    group === undefined ? null : groupIds(group),
  ])
  return {
    ...exact,
    ...(markets && { protocols: markets }),
    ...(seller !== undefined && { sellerScriptHex: sellerScript(seller, settings.network) }),
    ...(search && { search }),
  }
}

/** The ids common to all lists, sorted; null when there is no list at all. */
function intersection(lists: readonly (readonly string[] | null)[]): string[] | null {
  const [first, ...rest] = lists.filter((list) => list !== null)
  if (first === undefined) return null
  return [...new Set(first)].filter((id) => rest.every((list) => list.includes(id))).sort()
}
