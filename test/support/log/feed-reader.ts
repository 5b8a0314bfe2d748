import {
  type FeedBatch,
  FeedError,
  type FeedItem,
  type OrderFeed,
} from '../../../src/ports/feeds/order-feed.ts'
import { waitUntil } from '../services/programs.ts'

/** Reads a feed in the background until `stop`, and keeps its events. */
export interface FeedReader {
  readonly items: readonly FeedItem[]
  readonly cursors: readonly number[]
  readonly fault: FeedError | null
  /** The feed has ended, by a fault or because it was stopped. */
  readonly isOver: boolean
  /** Ids of events and offers, in order of arrival. */
  ids(): string[]
  until(what: string, is: (reader: FeedReader) => boolean): Promise<void>
  faulted(): Promise<FeedError>
  stop(): Promise<void>
}

const PATIENCE_MS = 25_000

export function readInBackground(
  feed: OrderFeed,
  {
    cursor = null,
    each = async () => {},
  }: { cursor?: number | null; each?: (batch: FeedBatch) => Promise<void> } = {},
): FeedReader {
  const stopped = new AbortController()
  const items: FeedItem[] = []
  const cursors: number[] = []
  let fault: FeedError | null = null
  let isOver = false
  const reading = (async () => {
    try {
      for await (const batch of feed.read(cursor, stopped.signal)) {
        items.push(...batch.items)
        if (batch.cursor !== null) cursors.push(batch.cursor)
        await each(batch)
      }
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      fault = error
    } finally {
      isOver = true
    }
  })()
  const reader: FeedReader = {
    items,
    cursors,
    get fault() {
      return fault
    },
    get isOver() {
      return isOver
    },
    ids: () => items.flatMap((item) => ('id' in item ? [item.id] : [])),
    until: (what, is) => waitUntil(what, () => is(reader), PATIENCE_MS),
    faulted: async () => {
      await waitUntil('the feed is at fault', () => isOver, PATIENCE_MS)
      if (fault === null) throw new Error('the feed ended without a fault')
      return fault
    },
    stop: async () => {
      stopped.abort()
      await reading
    },
  }
  return reader
}
