import type { OrderFeed } from './order-feed.ts'

type FeedSource = OrderFeed['source']

/** What the intake must know again after a restart. One writer. */
export interface FeedStore {
  /** Unix seconds up to which the feed of this address was read; null: never. */
  cursor(url: string): Promise<number | null>
  /** Durable when it resolves. */
  saveCursor(url: string, cursor: number): Promise<void>
  /** Was it judged before, whatever feed of the source told it? Items longest known are forgotten. */
  knows(source: FeedSource, id: string): Promise<boolean>
  /** Durable when it resolves. Only ids that were verified: a false one would hide the true item. */
  remember(source: FeedSource, id: string): Promise<void>
}

/** Items remembered for each source; the import of one that was forgotten changes nothing but costs. */
export const REMEMBERED_ITEMS = 200_000
