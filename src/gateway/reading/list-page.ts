import { capabilityOf } from '../../domain/catalog/catalog.ts'
import { sortedFacetsOf } from '../../domain/listing/facets.ts'
import { type OrderSort, SORTS } from '../../domain/listing/sorts.ts'
import type { FreshnessTerms } from '../../domain/order/order-summary.ts'
import { type ShownAnswer, showAnswer } from '../../domain/order/stored-answer.ts'
import type {
  OrderQuery,
  SortPosition,
  StoredOrder,
  StoredPage,
} from '../../ports/views/order-views.ts'
import { mapYielding } from '../../runtime/time-slice.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { Gateway } from '../gateway.ts'
import { PAGE_BYTES, roomOfPage } from './paging.ts'
import { unprovedParts } from './unproved-part.ts'

/** A page of orders, each as the bytes of its JSON. */
export interface PageOfBodies extends Pick<StoredPage, 'total' | 'next'> {
  bodies: readonly Buffer[]
  /** A tag for each body: bodies that differ have different tags. */
  tags: readonly string[]
}

/** How the orders of a page are shown. */
export interface PagePresenter {
  document(order: StoredOrder): OrderSummary
  /** If given, the answers of the views are shown at this moment, instead of documents. */
  answersAt?: FreshnessTerms
}

/** An order of a page, before it is shown. */
interface PageEntry {
  position: SortPosition
  show(): ShownAnswer
}

interface EntryPage extends Pick<StoredPage, 'total' | 'next'> {
  entries: readonly PageEntry[]
}

const COMMA = Buffer.from(',')

/**
 * The JSON of a page: `orders` is its first field. As bytes: in a text, one letter beyond Latin-1
 * would make all others take twice the room, and the time.
 */
export function pageJson(bodies: readonly Buffer[], rest: object): Buffer {
  const orders = bodies.flatMap((body, at) => (at === 0 ? [body] : [COMMA, body]))
  const end = Buffer.from(`],${JSON.stringify(rest).slice(1)}`)
  return Buffer.concat([Buffer.from('{"orders":['), ...orders, end])
}

/**
 * A page of the views, merged with unproved orders where the query names their state and sorts by
 * age (docs/design/strangers.md#proved-and-unproved). A page of large orders, as they are shown, ends
 * early, with a cursor.
 */
export async function listPage(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  query: OrderQuery,
  showing: PagePresenter,
): Promise<PageOfBodies> {
  const { entries, total, next } = await mergedPage(gateway, query, showing)
  const hasRoom = roomOfPage()
  const shown = await mapYielding(
    gateway.clock,
    entries,
    (entry) => {
      const { body, tag } = entry.show()
      return { body: Buffer.from(body), tag }
    },
    ({ body }) => hasRoom(body),
  )
  const last = entries[shown.length - 1]
  return {
    bodies: shown.map(({ body }) => body),
    tags: shown.map(({ tag }) => tag),
    total,
    next: last && shown.length < entries.length ? last.position : next,
  }
}

async function mergedPage(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  query: OrderQuery,
  showing: PagePresenter,
): Promise<EntryPage> {
  // Before the views, so that an order that enters the log meanwhile is in one of both.
  const parts = await unprovedParts(gateway, query)
  const proved = await provedPage(gateway, query, showing)
  if (parts.length === 0) return proved
  const compare = byAge(query.sort === 'newest')
  // Beyond the end of one part, another part's next order may not be next overall.
  const [end] = [proved, ...parts]
    .map(({ next }) => next)
    .filter((next) => next !== null)
    .sort(compare)
  const unproved = newestOfEach(parts.flatMap(({ orders }) => orders)).map(
    documentEntries(query, showing),
  )
  const ids = new Set(proved.entries.map(({ position }) => position.id))
  const known = [...proved.entries, ...unproved.filter(({ position }) => !ids.has(position.id))]
    .filter(({ position }) => end === undefined || compare(position, end) <= 0)
    .sort((a, b) => compare(a.position, b.position))
  const entries = known.slice(0, query.limit)
  const last = entries.at(-1)
  const next = known.length > entries.length && last ? last.position : (end ?? null)
  const total = parts.reduce((sum, part) => sum + part.total, proved.total)
  return { entries, total, next }
}

/** An order that changed its state between the reads of two parts is in both. */
function newestOfEach(orders: readonly StoredOrder[]): StoredOrder[] {
  const newest = new Map<string, StoredOrder>()
  for (const one of orders) {
    const other = newest.get(one.order.id)
    if (!other || one.order.seq > other.order.seq) newest.set(one.order.id, one)
  }
  return [...newest.values()]
}

async function provedPage(
  { views }: Pick<Gateway, 'views'>,
  query: OrderQuery,
  showing: PagePresenter,
): Promise<EntryPage> {
  const { answersAt } = showing
  if (!answersAt) {
    const { orders, total, next } = await views.page(query)
    return { entries: orders.map(documentEntries(query, showing)), total, next }
  }
  const { answers, total, next } = await views.answerPage(query, PAGE_BYTES)
  const terms = { ...answersAt, capabilityOf }
  const entries = answers.map(({ answer, freshness, position }) => ({
    position,
    show: () => showAnswer({ order: answer, freshness }, terms),
  }))
  return { entries, total, next }
}

const documentEntries =
  ({ sort }: OrderQuery, { document }: PagePresenter) =>
  (stored: StoredOrder): PageEntry => ({
    position: positionIn(sort, stored),
    show: () => {
      const body = JSON.stringify(document(stored))
      return { body, tag: body }
    },
  })

const positionIn = (sort: OrderSort, { order }: StoredOrder): SortPosition => ({
  value: sortedFacetsOf(order)[SORTS[sort].by],
  id: order.id,
})

const byAge =
  (newestFirst: boolean) =>
  (a: SortPosition, b: SortPosition): number =>
    (newestFirst ? compare(b.value, a.value) : compare(a.value, b.value)) || compare(a.id, b.id)

/** Timestamps of one format sort as text. */
const compare = (a: string | null, b: string | null): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0
