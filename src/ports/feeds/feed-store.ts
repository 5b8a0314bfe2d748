import type { OrderFeed } from './order-feed.ts'

type FeedSource = OrderFeed['source']

/** What the intake must still know after a restart. One writer. */
export interface FeedStore {
  /** Unix seconds up to which the feed of this address was read; null: never. */
  cursor(url: string): Promise<number | null>
  /** Durable when it resolves. */
  saveCursor(url: string, cursor: number): Promise<void>
  /** Was it judged before, from any feed of the source? The oldest items are forgotten first. */
  knows(source: FeedSource, id: string): Promise<boolean>
  /** Durable when it resolves. Only ids that were verified: a false one would hide the true item. */
  remember(source: FeedSource, id: string): Promise<void>
}

/** Items remembered per source; importing a forgotten one again changes nothing, it only costs. */
export const REMEMBERED_ITEMS = 200_000
