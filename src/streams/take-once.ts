import type { Budget } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { FeedStore } from '../ports/feed-store.ts'
import { FeedFault, type FeedItem, type OrderFeed } from '../ports/order-feed.ts'
import { RecentNames } from './recent-names.ts'

/** What became of something that a feed told: the label that it is counted by. */
export interface Taken {
  /** `imported`, `duplicate`, `oversized`, `lie`, or why it was refused: of a closed list. */
  outcome: string
  /** An honest feed would not have told it. */
  isLie: boolean
}

export type Telling = Exclude<FeedItem, { kind: 'lie' | 'oversized' }>

export interface Judged extends Taken {
  /** Its id was found true, and a second look at it would find the same. */
  isSettled: boolean
}

/** Its id was found true, and it looks like an order: what is left is to ask whether it is one. */
export interface Readable {
  /** Who has to share a budget. */
  publisher: string
  /** What it costs to keep, in characters. */
  size: number
  /** Examines and imports it; what it throws says that this cannot be done now. */
  prove(signal: AbortSignal): Promise<Judged>
}

/** Something true that waits for its turn. */
export interface Waiting extends Pick<Readable, 'publisher' | 'size'> {
  /** @throws FeedFault not_stored, node_away */
  settle(budgets: readonly Budget[], signal: AbortSignal): Promise<Taken>
}

export interface TakeOnceParts {
  store: Pick<FeedStore, 'knows' | 'remember'>
  clock: Pick<Clock, 'monotonic'>
  /** Reads one without asking anybody. */
  read: (item: Telling) => Judged | Readable
}

/** @throws FeedFault not_stored */
export type TakeOnce = (source: OrderFeed['source'], item: FeedItem) => Promise<Taken | Waiting>

/** It is known, or waits already. */
export const DUPLICATE: Taken = { outcome: 'duplicate', isLie: false }
/** What was true and could not be proved is not looked at again for so long, of so many. */
const UNPROVED = { forMs: 3_600_000, most: 20_000 }

/**
 * Takes each item once, whichever feeds of a source tell it and how often. Two that tell it at the
 * same time wait for each other, so that neither moves on before it is stored.
 */
export function takeOnce({ store, clock, read }: TakeOnceParts): TakeOnce {
  const underWay = new Map<string, Promise<unknown>>()
  const unproved = new RecentNames(UNPROVED, clock)

  return async (source, item) => {
    if (item.kind === 'lie' || item.kind === 'oversized') {
      return { outcome: item.kind, isLie: item.kind === 'lie' }
    }
    const { id } = item
    const key = `${source} ${id}`
    const isKnown = async () => unproved.has(key) || (await store.knows(source, id))
    const conclude = async ({ outcome, isLie, isSettled }: Judged): Promise<Taken> => {
      if (isSettled) await store.remember(source, id)
      return { outcome, isLie }
    }

    async function proveNew(
      { prove }: Readable,
      budgets: readonly Budget[],
      signal: AbortSignal,
    ): Promise<Taken> {
      if (await isKnown()) return DUPLICATE
      for (const budget of budgets) await budget.take(signal)
      signal.throwIfAborted()
      const judged = await prove(signal)
      if (!judged.isSettled) unproved.add(key)
      return conclude(judged)
    }

    async function settle(found: Readable, budgets: readonly Budget[], signal: AbortSignal) {
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
    const found = read(item)
    if ('outcome' in found) return faulty(conclude(found))
    const { publisher, size } = found
    return { publisher, size, settle: (budgets, signal) => settle(found, budgets, signal) }
  }
}

/** Whatever fails, it could not be stored. */
async function faulty<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof FeedFault) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedFault('not_stored', why, { cause })
  }
}
