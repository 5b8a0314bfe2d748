import type { FeedStore } from '../../ports/feeds/feed-store.ts'
import { FeedError, type FeedItem, type OrderFeed } from '../../ports/feeds/order-feed.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RateLimiter } from '../../runtime/rate-limiter.ts'
import { RecentNames } from '../ingest/recent-names.ts'

/** The result for one item of a feed: the label it is counted under. */
export interface IntakeResult {
  /** `imported`, `duplicate`, `oversized`, `lie`, or why it was refused: from a closed list. */
  outcome: string
  /** An honest feed would not have sent the item. */
  isLie: boolean
  /** Refused at once, and no item of this id was refused so shortly before. */
  isNew?: boolean
}

export type IntakeItem = Exclude<FeedItem, { kind: 'lie' | 'oversized' }>

export interface Judged extends IntakeResult {
  /** Its id is correct, and judging it again would give the same result. */
  isSettled: boolean
}

/** Its id is correct and it looks like an order; whether it is one remains to be examined. */
export interface Readable {
  /** Items of one publisher share a budget. */
  publisher: string
  /** What it costs to keep, in characters. */
  size: number
  /** Examines and imports it; throws if that cannot be done now. */
  prove(signal: AbortSignal): Promise<Judged>
}

/** A readable item that waits for the items before it. */
export interface Waiting extends Pick<Readable, 'publisher' | 'size'> {
  /** @throws FeedError not_stored, node_away */
  settle(budgets: readonly RateLimiter[], signal: AbortSignal): Promise<IntakeResult>
}

export interface DedupeParts {
  store: Pick<FeedStore, 'knows' | 'remember'>
  clock: Pick<Clock, 'monotonic'>
}

/** Reads an item without asking node or index. */
export type ItemReader = (item: IntakeItem) => Promise<Judged | Readable>

/** @throws FeedError not_stored */
export type Dedupe = (
  source: OrderFeed['source'],
  item: FeedItem,
  read: ItemReader,
) => Promise<IntakeResult | Waiting>

/** The item is known, or already waiting. */
export const DUPLICATE: IntakeResult = { outcome: 'duplicate', isLie: false }
/** For how long, and for how many items, one that could not be proved is not examined again. */
const UNPROVED = { forMs: 3_600_000, most: 20_000 }

/**
 * Takes each item once, however often the feeds of a source send it. Two that send it at the same
 * time wait for each other, so that neither moves on before it is stored.
 */
export function dedupe({ store, clock }: DedupeParts): Dedupe {
  const underWay = new Map<string, Promise<unknown>>()
  const unproved = new RecentNames(UNPROVED, clock)
  // The id may be another event's: it hides no item, and tells repetitions from news alone.
  const refused = new RecentNames(UNPROVED, clock)

  return async (source, item, read) => {
    if (item.kind === 'lie' || item.kind === 'oversized') {
      return { outcome: item.kind, isLie: item.kind === 'lie' }
    }
    const { id } = item
    const key = `${source} ${id}`
    const isKnown = async () => unproved.has(key) || (await store.knows(source, id))
    const conclude = async ({ outcome, isLie, isSettled }: Judged): Promise<IntakeResult> => {
      if (isSettled) await store.remember(source, id)
      return { outcome, isLie }
    }

    async function proveNew(
      { prove }: Readable,
      budgets: readonly RateLimiter[],
      signal: AbortSignal,
    ): Promise<IntakeResult> {
      if (await isKnown()) return DUPLICATE
      for (const budget of budgets) await budget.take(signal)
      signal.throwIfAborted()
      const judged = await prove(signal)
      if (!judged.isSettled) unproved.add(key)
      return conclude(judged)
    }

    async function settle(found: Readable, budgets: readonly RateLimiter[], signal: AbortSignal) {
      for (let other = underWay.get(key); other; other = underWay.get(key)) {
        await other.catch(() => undefined)
      }
      const proving = faulty(proveNew(found, budgets, signal))
      underWay.set(key, proving)
      try {
        return await proving
      } finally {
        underWay.delete(key)
      }
    }

    if (await faulty(isKnown())) return DUPLICATE
    const found = await read(item)
    if ('outcome' in found) {
      const isNew = !found.isLie && !refused.has(key)
      refused.add(key)
      return { ...(await faulty(conclude(found))), isNew }
    }
    const { publisher, size } = found
    return { publisher, size, settle: (budgets, signal) => settle(found, budgets, signal) }
  }
}

/** Any failure means that it could not be stored. */
async function faulty<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedError('not_stored', why, { cause })
  }
}
