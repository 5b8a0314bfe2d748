import { isListedAt } from '../../domain/listing/actionable.ts'
import type { OrderQuery, StoredOrder, StoredPage } from '../../ports/views/order-views.ts'
import type { UnprovedPool, UnprovedQuery } from '../../ports/views/unproved-pool.ts'
import { type OrderState, Timestamp } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { asStored } from '../order/unproved-entry.ts'

/** States in which unproved orders are listed on request. */
const STATES: readonly OrderState[] = ['REJECTED', 'PENDING_NODE']
/**
 * Filters on untrusted text, or on what only a proved order has: no unproved order passes, and none
 * is read.
 */
const NEVER: readonly (keyof OrderQuery)[] = [
  'protocols',
  'token',
  'search',
  'assetInscriptionId',
  'hidden',
]
/** What the pool counts by, and what decides no order's place in a list. */
const COUNTED: ReadonlySet<string> = new Set<keyof OrderQuery>([
  ...(['state', 'states', 'source', 'includeWithdrawn'] as const),
  ...(['sort', 'limit', 'after'] as const),
])
const STEP = 100
/** Pool orders that a page may check; after that many the page ends early, with a cursor. */
const MAX_SCANNED = 400

/** The unproved orders of a page that are in one state. */
export type UnprovedPart = Pick<StoredPage, 'orders' | 'total' | 'next'>

type PoolReads = Pick<Gateway, 'pool' | 'views' | 'clock'>
type StateQuery = OrderQuery & { state: OrderState }

/**
 * The unproved orders of a page, by state, without the text of who sent them. Their number is exact,
 * but for a filter beside state and source, of whose orders those among the first 400 are counted
 * (ADR 142).
 */
export async function unprovedParts(
  { pool, views, clock }: PoolReads,
  query: OrderQuery,
): Promise<UnprovedPart[]> {
  const nowMs = clock.now()
  return await Promise.all(
    unprovedStates(query).map(async (state) => {
      const part = await partOf(pool, { ...query, state }, nowMs)
      const orders = await stillUnproved({ views }, part.orders)
      return { ...part, orders, total: part.total - (part.orders.length - orders.length) }
    }),
  )
}

/** The states that the query names, of those in which unproved orders are listed. */
function unprovedStates(query: OrderQuery): readonly OrderState[] {
  const { state, states, sort } = query
  if (sort !== 'newest' && sort !== 'oldest') return []
  if (NEVER.some((filter) => query[filter] !== undefined)) return []
  if (state === undefined && states === undefined) return []
  return STATES.filter(
    (one) => (state === undefined || state === one) && (!states || states.includes(one)),
  )
}

/** The orders of the page that are in this state, and how many all pages have together. */
async function partOf(
  pool: Pick<UnprovedPool, 'list' | 'count'>,
  query: StateQuery,
  nowMs: number,
): Promise<UnprovedPart> {
  const { after, ...whole } = query
  const names = Object.keys(query) as (keyof OrderQuery)[]
  if (names.every((name) => query[name] === undefined || COUNTED.has(name))) {
    const [part, total] = await Promise.all([
      scan(pool, query, nowMs),
      pool.count(listOf(query), nowMs),
    ])
    return { ...part, total }
  }
  if (after === undefined) return await scan(pool, query, nowMs, true)
  const { total } = await scan(pool, { ...whole, limit: 0 }, nowMs, true)
  return { ...(await scan(pool, query, nowMs)), total }
}

/**
 * Matching pool orders of a state up to the limit, and how many matched, until as many as allowed were
 * checked; unless it goes `toEnd`, until the limit is reached.
 */
async function scan(
  pool: Pick<UnprovedPool, 'list'>,
  query: StateQuery,
  nowMs: number,
  toEnd = false,
): Promise<UnprovedPart> {
  const { sort, limit, after } = query
  const orders: StoredOrder[] = []
  let total = 0
  let at = after && { createdAt: Timestamp.parse(after.value), id: after.id }
  let isOver = false
  for (let looked = 0; looked < MAX_SCANNED && !isOver; looked += STEP) {
    const page = { newestFirst: sort === 'newest', limit: STEP, ...(at && { after: at }) }
    const step = await pool.list({ ...listOf(query), ...page }, nowMs)
    for (const entry of step) {
      const shown = withoutSenderText(asStored(entry))
      if (!isListedAt(shown, query)) continue
      total += 1
      if (orders.length < limit) orders.push(shown)
      if (orders.length === limit && !toEnd) return { orders, total, next: placeOf(shown) }
    }
    // A step may be short: what is dropped while it is read is left out.
    const last = step.at(-1)?.order
    isOver = !last
    if (last) at = { createdAt: last.createdAt, id: last.id }
  }
  const last = orders.at(-1)
  if (last && orders.length === limit) return { orders, total, next: placeOf(last) }
  return { orders, total, next: at && !isOver ? { value: at.createdAt, id: at.id } : null }
}

const listOf = ({ state, source }: StateQuery): Pick<UnprovedQuery, 'state' | 'source'> => ({
  state,
  ...(source && { source }),
})

/** Unproved orders are in lists by age alone. */
const placeOf = ({ order }: StoredOrder) => ({ value: order.createdAt, id: order.id })

/** Without orders that entered the log meanwhile: their pool entry outlived the move. */
async function stillUnproved(
  { views }: Pick<Gateway, 'views'>,
  orders: readonly StoredOrder[],
): Promise<StoredOrder[]> {
  // Answers that are asked for together are read together.
  const known = await Promise.all(orders.map(({ order }) => views.answer(order.id)))
  return orders.filter((_, at) => !known[at])
}

/** Token, market and claims of an unproved order find it in no list: they are on its own page. */
function withoutSenderText(stored: StoredOrder): StoredOrder {
  const { protocolId: _p, token: _t, ...order } = stored.order
  const { claimedInscription: _c, source, ...kept } = order.kept
  const { claimedAsset: _a, ...told } = source
  const sources = order.sources.map(({ source, observedAt }) => ({
    source,
    sourceId: order.kept.inspection.digest,
    observedAt,
  }))
  return { ...stored, order: { ...order, sources, kept: { ...kept, source: told } } }
}
