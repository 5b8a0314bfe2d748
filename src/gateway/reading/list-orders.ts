import { createHash } from 'node:crypto'
import { z } from 'zod'
import { groupIds, marketIds } from '../../domain/catalog/catalog.ts'
import type { FreshnessTerms } from '../../domain/order/order-summary.ts'
import type { OrderQuery, SortPosition } from '../../ports/views/order-views.ts'
import type { ListHiddenQuery, ListOrdersQuery } from '../../schemas/api/api.ts'
import type { OrderPage } from '../../schemas/order.ts'
import { OrderId } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { scriptOfOwnAddress, sellerScript } from '../order/seller-script.ts'
import {
  type AskedFilters,
  asOf,
  freshnessTerms,
  summarise,
  summariseWhole,
} from '../order/summarise.ts'
import { listPage, type PageOfBodies, pageJson } from './list-page.ts'
import { refuseOffset } from './paging.ts'

const Position = z.strictObject({ value: z.string().nullable(), id: OrderId })

/** A page as the bytes of its JSON, with a strong ETag without its quotes. */
export interface OrderPageBody extends Pick<OrderPage, 'nextCursor'> {
  body: Buffer
  tag: string
}

/**
 * A page of orders (gateway spec 4.1; docs/design/listing.md#listing-query-semantics). Filters
 * combine with AND.
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR, VALIDATION_FAILED (seller)
 */
export async function listOrders(
  gateway: Pick<Gateway, 'views' | 'pool' | 'cursors' | 'clock' | 'settings'>,
  request: ListOrdersQuery,
): Promise<OrderPageBody> {
  refuseOffset(request.offset)
  const asked = askedOf(gateway, 'orders', listFilters(gateway, request), request)
  const page = await listPage(gateway, asked.found, {
    document: (order) => summarise(gateway, order, asked.moment).summary,
    answersAt: asked.moment,
  })
  return orderPage(page, asked, request)
}

/**
 * A page of the orders whose offered output is at an address.
 *
 * @throws RefusalError as `listOrders`; WRONG_NETWORK, VALIDATION_FAILED (address)
 */
export function listOrdersOfAddress(
  gateway: Pick<Gateway, 'views' | 'pool' | 'cursors' | 'clock' | 'settings'>,
  address: string,
  request: Omit<ListOrdersQuery, 'seller'>,
): Promise<OrderPageBody> {
  const seller = scriptOfOwnAddress(address, gateway.settings.network)
  return listOrders(gateway, { ...request, seller })
}

/**
 * A page of the orders that operators hide, whatever their state, newest first and with all their
 * text: for operators.
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR
 */
export async function listHiddenOrders(
  gateway: Pick<Gateway, 'views' | 'pool' | 'cursors' | 'clock' | 'settings'>,
  request: ListHiddenQuery,
): Promise<OrderPageBody> {
  refuseOffset(request.offset)
  const filters = { hidden: true, includeWithdrawn: true, sort: 'newest' } as const
  const asked = askedOf(gateway, 'hidden', filters, request)
  const page = await listPage(gateway, asked.found, {
    document: (order) => summariseWhole(gateway, order),
  })
  return orderPage(page, asked, request)
}

type Filters = AskedFilters & Pick<OrderQuery, 'sort'>

/** The query of a request, and the one moment at which its orders are found and shown. */
interface ListRequest {
  found: OrderQuery
  moment: FreshnessTerms
  /** Empty after the last page. */
  cursorAt(next: SortPosition | null): string
}

/** A cursor is bound to the list of that name and to its filters. */
function askedOf(
  gateway: Pick<Gateway, 'cursors' | 'clock' | 'settings'>,
  name: string,
  filters: Filters,
  { limit, cursor }: ListHiddenQuery,
): ListRequest {
  const query = JSON.stringify([name, Object.entries(filters).sort()])
  const after = cursor === undefined ? undefined : gateway.cursors.decode(query, cursor, Position)
  const moment = freshnessTerms(gateway)
  return {
    // No page has an order that another moment would show.
    found: { ...asOf(moment, filters), limit, ...(after && { after }) },
    moment,
    cursorAt: (next) => (next === null ? '' : gateway.cursors.encode(query, next)),
  }
}

function orderPage(
  { bodies, tags, total, next }: PageOfBodies,
  { cursorAt }: ListRequest,
  { limit }: ListHiddenQuery,
): OrderPageBody {
  const nextCursor = cursorAt(next)
  const rest = { total, limit, nextCursor, hasMore: nextCursor !== '' }
  const body = pageJson(bodies, rest satisfies Omit<OrderPage, 'orders'>)
  // Hashed are the orders' tags: a fiftieth of the text of a large page.
  const hash = createHash('sha256').update(tags.join('\n')).update(JSON.stringify(rest))
  return { body, tag: hash.digest('base64url'), nextCursor }
}

/**
 * Everything that selects and sorts the listed orders: a cursor is bound to it.
 *
 * @throws RefusalError VALIDATION_FAILED (seller)
 */
export function listFilters<Request extends Partial<ListOrdersQuery>>(
  { settings }: Pick<Gateway, 'settings'>,
  request: Request,
) {
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
