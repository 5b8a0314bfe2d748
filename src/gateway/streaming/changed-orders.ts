import { LRUCache } from 'lru-cache'
import { orderWeight } from '../../domain/limits.ts'
import { type Facets, facetsOf } from '../../domain/listing/facets.ts'
import { isShown, isWanted } from '../../domain/listing/filters.ts'
import { foldText } from '../../domain/listing/listing.ts'
import { SingleFlight } from '../../runtime/single-flight.ts'
import type { StreamChange } from '../../schemas/api/stream.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Actionability, OrderId } from '../../schemas/scalars.ts'
import type { RecentChange } from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'
import { type AskedFilters, summarise } from '../order/summarise.ts'
import { eventBody } from './event-frames.ts'

/** What a stream follows: one order, or the orders that the filters list. */
export interface FollowedOrders {
  orderId: OrderId | undefined
  filters: AskedFilters
  /** An order that was not verified for this long may have become stale, milliseconds. */
  staleMs: number
}

/** A change with its order, made once for all streams. */
export class ChangedOrder {
  readonly change: RecentChange
  readonly order: OrderRecord
  readonly facets: Facets
  /** The order as it is shown. */
  readonly actionability: Actionability
  readonly #listed: StreamChange
  readonly #texts = new Map<ToldAs, string>()
  readonly #bodies = new Map<ToldAs, Buffer>()

  constructor(
    change: RecentChange,
    order: OrderRecord,
    summary: NonNullable<StreamChange['order']>,
  ) {
    const { orderId, seq, observedAt, entry } = change
    this.change = change
    this.order = order
    this.facets = facetsOf(order)
    this.actionability = summary.actionability
    this.#listed = { orderId, seq, observedAt, entry, order: summary }
  }

  /** The JSON of a `StreamChange`. */
  text(telling: ToldAs): string {
    return made(this.#texts, telling, () => this.#json(telling))
  }

  /** The event of a stream, without its id. */
  body(telling: ToldAs): Buffer {
    return made(this.#bodies, telling, () => eventBody('change', this.#json(telling)))
  }

  #json(telling: ToldAs): string {
    return JSON.stringify(telling === 'listed' ? this.#listed : { ...this.#listed, order: null })
  }
}

/** The event of a change for a stream that lists the order, and for one that no longer does. */
export type ToldAs = 'listed' | 'unlisted'

/**
 * Whether the change may concern a stream of this query, decided without the order. A verification
 * that changed nothing concerns it if it may bring the order into the list: a list of orders
 * changed since a time, or of actionable orders.
 */
export function mayConcern(change: RecentChange, followed: FollowedOrders): boolean {
  const { orderId, renewal } = change
  if (followed.orderId !== undefined) return orderId === followed.orderId && !renewal
  if (!renewal) return true
  const { filters, staleMs } = followed
  const isRefreshed = filters.actionability !== undefined && wasStale(change, staleMs)
  return isRefreshed || isUpdated(change, filters)
}

/** May the order have been stale before the verification? */
function wasStale({ observedAt, renewal }: RecentChange, staleMs: number): boolean {
  const before = renewal?.verified ?? null
  return before === null || Date.parse(observedAt) - Date.parse(before) > staleMs
}

/** Does the verification bring its order into a list of those changed since a time? */
function isUpdated({ observedAt, renewal }: RecentChange, { updatedSince }: AskedFilters): boolean {
  if (updatedSince === undefined || observedAt < updatedSince || !renewal) return false
  return renewal.changed === null || renewal.changed < updatedSince
}

/** The event of the change for a stream of this query; null: no event. */
export function tellingFor(changed: ChangedOrder, followed: FollowedOrders): ToldAs | null {
  const { change, order, facets, actionability } = changed
  if (!mayConcern(change, followed)) return null
  if (followed.orderId !== undefined) return 'listed'
  const { filters } = followed
  const asked = filters.actionability
  if (!isWanted(order, filters, facets)) return hasLeft(changed, filters) ? 'unlisted' : null
  const isListed = (asked === undefined || asked === actionability) && isShown(order, filters)
  if (!change.renewal) return isListed ? 'listed' : 'unlisted'
  // A verification alone can only make an order ready.
  const isReady = asked !== undefined && actionability === 'HANDOFF_READY'
  if (!isListed) return isReady && isShown(order, filters) ? 'unlisted' : null
  const isNew = isUpdated(change, filters) && !isSince(order, filters)
  return isReady || isNew ? 'listed' : null
}

/** The beginning of a txid, or all of it. */
const TXID_PREFIX = /^[0-9a-f]{1,64}$/

/** Was the order found by what spent its output, and is no longer? */
function hasLeft({ change, order, facets }: ChangedOrder, filters: AskedFilters): boolean {
  const { lostSpender } = change
  const { search, ...others } = filters
  if (search === undefined || lostSpender === undefined) return false
  const wanted = foldText(search)
  const wasFound =
    lostSpender === 'unknown' ? TXID_PREFIX.test(wanted) : lostSpender.startsWith(wanted)
  return wasFound && isWanted(order, others, facets)
}

/** Was the order made at that time or later? Then no verification brought it into the list. */
const isSince = ({ createdAt }: OrderRecord, { updatedSince }: AskedFilters): boolean =>
  updatedSince !== undefined && createdAt >= updatedSince

function made<T>(known: Map<ToldAs, T>, telling: ToldAs, make: () => T): T {
  const found = known.get(telling)
  if (found !== undefined) return found
  const value = make()
  known.set(telling, value)
  return value
}

/** Bytes of all cached orders, estimated. */
const CACHED_BYTES = 2 ** 24
/** Bytes of a cached order beside its JSON. */
const COPIES = 2
/** How long an order is cached, milliseconds: its summary states how old its verification is. */
const CACHED_MS = 5_000

/** Reads the order of each change from the views, which may lag behind the log. */
export class ChangedOrders {
  readonly #gateway: Pick<Gateway, 'views' | 'clock' | 'settings'>
  readonly #cached: LRUCache<string, ChangedOrder>
  readonly #reading = new SingleFlight<ChangedOrder | null>()

  constructor(gateway: Pick<Gateway, 'views' | 'clock' | 'settings'>) {
    this.#gateway = gateway
    this.#cached = new LRUCache({
      maxSize: CACHED_BYTES,
      sizeCalculation: ({ order }) => COPIES * orderWeight(order),
      ttl: CACHED_MS,
      // The time is read from the clock at each call.
      perf: { now: () => gateway.clock.monotonic() },
      ttlResolution: 0,
    })
  }

  /** Null while the views have not reached the change. */
  of(change: RecentChange): Promise<ChangedOrder | null> {
    const name = nameOf(change)
    const cached = this.#cached.get(name)
    if (cached) return Promise.resolve(cached)
    // An order that the views do not have yet, or that could not be read, is read again.
    return this.#reading.run(name, () => this.#read(change))
  }

  /** Whether the order is cached, so that it costs no read. */
  has(change: RecentChange): boolean {
    return this.#cached.has(nameOf(change))
  }

  /** Drops orders cached for too long. */
  forget(): void {
    this.#cached.purgeStale()
  }

  async #read(change: RecentChange): Promise<ChangedOrder | null> {
    const stored = await this.#gateway.views.order(change.orderId)
    if (!stored || stored.order.seq < change.seq) return null
    const { summary } = summarise(this.#gateway, stored)
    const changed = new ChangedOrder(change, stored.order, summary)
    this.#cached.set(nameOf(change), changed)
    return changed
  }
}

const nameOf = ({ orderId, seq }: RecentChange): string => `${orderId}:${seq}`
