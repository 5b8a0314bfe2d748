import type { Budget } from '../ports/budget.ts'
import type { FeedStore } from '../ports/feed-store.ts'
import { FeedFault, type FeedItem, type OrderFeed } from '../ports/order-feed.ts'

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

export interface TakeOnceParts {
  store: Pick<FeedStore, 'knows' | 'remember'>
  /** Judges one and imports it; what it throws says that it could not be stored now. */
  take: (item: Telling) => Promise<Judged>
}

export type TakeOnce = (
  source: OrderFeed['source'],
  item: FeedItem,
  budgets: readonly Budget[],
  signal: AbortSignal,
) => Promise<Taken>

/**
 * Takes each item once, whichever feeds of a source tell it and how often. Two that tell it at the
 * same time wait for each other, so that neither moves on before it is stored.
 *
 * @throws FeedFault not_stored
 */
export function takeOnce({ store, take }: TakeOnceParts): TakeOnce {
  const underWay = new Map<string, Promise<Taken>>()

  async function takeNew(
    source: OrderFeed['source'],
    item: Telling,
    budgets: readonly Budget[],
    signal: AbortSignal,
  ): Promise<Taken> {
    if (await store.knows(source, item.id)) return { outcome: 'duplicate', isLie: false }
    for (const budget of budgets) await budget.take(signal)
    signal.throwIfAborted()
    const { outcome, isLie, isSettled } = await take(item)
    if (isSettled) await store.remember(source, item.id)
    return { outcome, isLie }
  }

  return async (source, item, budgets, signal) => {
    if (item.kind === 'lie' || item.kind === 'oversized') {
      return { outcome: item.kind, isLie: item.kind === 'lie' }
    }
    const key = `${source} ${item.id}`
    // Whether that one was true, and stored, says nothing of this one: it has the same name.
    for (let other = underWay.get(key); other; other = underWay.get(key)) {
      await other.catch(() => undefined)
    }
    const taking = takeNew(source, item, budgets, signal).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new FeedFault('not_stored', why, { cause })
    })
    underWay.set(key, taking)
    try {
      return await taking
    } finally {
      underWay.delete(key)
    }
  }
}
