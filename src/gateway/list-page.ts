import type { OrderQuery, SortPosition, StoredOrder, StoredPage } from '../ports/order-views.ts'
import { type OrderState, Timestamp } from '../schemas/scalars.ts'
import type { UnprovedOrder } from '../schemas/unproved.ts'
import type { Gateway } from './gateway.ts'
import { asStored } from './unproved-entry.ts'

/** States in which somebody may look for what proved nothing. */
const STATES: readonly OrderState[] = ['REJECTED', 'PENDING_NODE']
/** Words of strangers, and what only a proved order has: who filters by them wants no other. */
const NEVER: readonly (keyof OrderQuery)[] = ['protocols', 'token', 'search', 'assetInscriptionId']
const STEP = 100
/** Orders of the pool that a page may look at: one that met as many ends early, with a cursor. */
const MOST_LOOKED_AT = 400
/** Of all scripts in one answer: what is beside them in an order is small. */
const MOST_SCRIPT_CHARACTERS = 2 ** 19

type Part = Pick<StoredPage, 'orders' | 'next'>

/**
 * A page of the views, with what proved nothing yet among it where it is asked for by state or source
 * and sorted by age (design: Proved and unproved). That counts in no total, and its words are left out.
 * A page of orders with many scripts ends early, with a cursor.
 */
export async function listPage(gateway: Gateway, query: OrderQuery): Promise<StoredPage> {
  const page = await mergedPage(gateway, query)
  const limit = howManyFit(page.orders)
  return limit < page.orders.length ? await mergedPage(gateway, { ...query, limit }) : page
}

/** How many of the first ones make an answer of a bounded size; one at least. */
function howManyFit(orders: readonly StoredOrder[]): number {
  let characters = 0
  const past = orders.findIndex(({ order }) => {
    for (const script of order.kept.inspection.outputScriptsHex) characters += script.length
    return characters > MOST_SCRIPT_CHARACTERS
  })
  return past === -1 ? orders.length : Math.max(past, 1)
}

async function mergedPage(gateway: Gateway, query: OrderQuery): Promise<StoredPage> {
  const proved = await gateway.views.page(query)
  if (!asksForUnproved(query)) return proved
  const unproved = await unprovedPart(gateway, query)
  const compare = byAge(query.sort === 'newest')
  // Beyond the place where either part ends, what the other has may not be next.
  const [end] = [proved.next, unproved.next].filter((next) => next !== null).sort(compare)
  const known = [...proved.orders, ...unproved.orders]
    .filter((stored) => end === undefined || compare(placeOf(stored), end) <= 0)
    .sort((a, b) => compare(placeOf(a), placeOf(b)))
  const orders = known.slice(0, query.limit)
  const last = orders.at(-1)
  const next = known.length > orders.length && last ? placeOf(last) : (end ?? null)
  return { orders, total: proved.total, next }
}

function asksForUnproved(query: OrderQuery): boolean {
  const { state, source, sort } = query
  if (sort !== 'newest' && sort !== 'oldest') return false
  if (NEVER.some((filter) => query[filter] !== undefined)) return false
  return state === undefined ? source !== undefined : STATES.includes(state)
}

/** The part of the pool that passes, up to the limit or to as many as may be looked at. */
async function unprovedPart({ pool, clock }: Gateway, query: OrderQuery): Promise<Part> {
  const { state, source, sort, limit, after } = query
  const orders: StoredOrder[] = []
  let at = after && { createdAt: Timestamp.parse(after.value), id: after.id }
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += STEP) {
    const step = await pool.list(
      {
        ...(state && { state }),
        ...(source && { source }),
        newestFirst: sort === 'newest',
        limit: STEP,
        ...(at && { after: at }),
      },
      clock.now(),
    )
    for (const entry of step) {
      if (!passes(entry, query)) continue
      orders.push(withoutWords(asStored(entry)))
      if (orders.length === limit) return { orders, next: placeOf(asStored(entry)) }
    }
    const last = step.at(-1)?.order
    if (!last || step.length < STEP) return { orders, next: null }
    at = { createdAt: last.createdAt, id: last.id }
  }
  return { orders, next: at ? { value: at.createdAt, id: at.id } : null }
}

function passes({ order }: UnprovedOrder, query: OrderQuery): boolean {
  const { inspection } = order.kept
  const is = <T>(wanted: T | undefined, value: T) => wanted === undefined || wanted === value
  return (
    is(query.safety, inspection.safety) &&
    is(query.orderClass, inspection.orderClass) &&
    is(query.signature, inspection.signatureStatus) &&
    is(query.side, order.side) &&
    is(query.sellerScriptHex, order.sellerScriptHex) &&
    is(query.assetOutpoint, order.assets.length > 0 ? order.outpoint : undefined)
  )
}

/** Token, market and claims of an order that proved nothing are shown on its own page alone. */
function withoutWords(stored: StoredOrder): StoredOrder {
  const { protocolId: _p, token: _t, ...order } = stored.order
  const sources = order.sources.map(({ source, observedAt }) => ({
    source,
    sourceId: order.kept.inspection.digest,
    observedAt,
  }))
  return { ...stored, order: { ...order, sources } }
}

const placeOf = ({ order }: StoredOrder): SortPosition => ({ value: order.createdAt, id: order.id })

const byAge =
  (newestFirst: boolean) =>
  (a: SortPosition, b: SortPosition): number =>
    (newestFirst ? compare(b.value, a.value) : compare(a.value, b.value)) || compare(a.id, b.id)

/** Times of one format sort as their texts do. */
const compare = (a: string | null, b: string | null): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
