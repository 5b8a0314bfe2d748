import { LRUCache } from 'lru-cache'
import { type Facets, facetsOf } from '../../domain/listing/facets.ts'
import { isListed, isWanted } from '../../domain/listing/filters.ts'
import type { StreamChange } from '../../schemas/api/stream.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Actionability } from '../../schemas/scalars.ts'
import type { RecentChange } from '../../streams/activity/recent-changes.ts'
import type { Gateway } from '../gateway.ts'

import { type AskedFilters, summarise } from '../reading/summarise.ts'

/** A change with its order, as JSON texts of `StreamChange`: made once for all streams. */
export interface ChangeTexts {
  order: OrderRecord
  facets: Facets
  /** As it is shown. */
  actionability: Actionability
  /** For filters that list the order. */
  listed: string
  /** For filters that no longer list it. */
  unlisted: string
}

/** The text for these filters; null if they never list the order. Without filters it is listed. */
export function textFor(texts: ChangeTexts, filters: AskedFilters | null): string | null {
  if (filters && !isWanted(texts.order, filters, texts.facets)) return null
  return !filters || lists(filters, texts) ? texts.listed : texts.unlisted
}

const lists = ({ actionability, ...filters }: AskedFilters, texts: ChangeTexts): boolean =>
  (actionability === undefined || actionability === texts.actionability) &&
  isListed(texts.order, filters, texts.facets)

const MOST_KEPT = 1_024
/** Texts are reused for this long, milliseconds: a summary states how old its verification is. */
const KEPT_MS = 1_000

/** Reads the order of each change from the views, which may lag behind the log. */
export class ChangedOrders {
  readonly #gateway: Pick<Gateway, 'views' | 'clock' | 'settings'>
  readonly #told: LRUCache<string, Promise<ChangeTexts | null>>

  constructor(gateway: Pick<Gateway, 'views' | 'clock' | 'settings'>) {
    this.#gateway = gateway
    this.#told = new LRUCache({
      max: MOST_KEPT,
      ttl: KEPT_MS,
      // Its time is that of the clock, asked for anew each time.
      perf: { now: () => gateway.clock.monotonic() },
      ttlResolution: 0,
    })
  }

  /** Null while the views have not reached the change. */
  async of(change: RecentChange): Promise<ChangeTexts | null> {
    const name = `${change.orderId}:${change.seq}`
    const known = this.#told.get(name)
    if (known) return known
    const reading = this.#read(change)
    this.#told.set(name, reading)
    // An order that is not there yet, or could not be read, is read again.
    const forget = () => {
      if (this.#told.peek(name) === reading) this.#told.delete(name)
    }
    reading.then((texts) => texts === null && forget(), forget)
    return reading
  }

  async #read({ orderId, seq, observedAt, entry }: RecentChange): Promise<ChangeTexts | null> {
    const stored = await this.#gateway.views.order(orderId)
    if (!stored || stored.order.seq < seq) return null
    const unlisted: StreamChange = { orderId, seq, observedAt, entry, order: null }
    const { summary } = summarise(this.#gateway, stored)
    const listed: StreamChange = { ...unlisted, order: summary }
    return {
      order: stored.order,
      facets: facetsOf(stored.order),
      actionability: summary.actionability,
      listed: JSON.stringify(listed),
      unlisted: JSON.stringify(unlisted),
    }
  }
}
