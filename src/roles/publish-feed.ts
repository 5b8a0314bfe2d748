import { filter, NEVER } from 'rxjs'
import type { LmdbStore } from '../adapters/embedded/lmdb-store.ts'
import { openPublishedBlocks } from '../adapters/embedded/published-blocks.ts'
import type { FoldFeed } from '../ports/fold-feed.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import { keepPublished } from '../streams/publish-fold.ts'
import { Closer } from './closer.ts'
import type { Foundation } from './foundation.ts'
import type { LocalStore } from './local-store.ts'
import { type OpenedLog, openLog } from './open-log.ts'
import type { RunningFold } from './run-fold.ts'
import { supervise } from './supervise.ts'

/** Opens the log that feeds go to, or gives the one that is open. */
export type FeedLog = () => Promise<Pick<OpenedLog, 'log' | 'id'>>

/**
 * Of a role that needs no log for anything else: null where no Kafka is configured. Opened when it is
 * first written to, so that its brokers may be away at the start.
 */
export function feedLogOf(foundation: Foundation, local: LocalStore): FeedLog | null {
  if (!foundation.config.KAFKA_BROKERS) return null
  const closer = new Closer()
  // Before what writes to it, and so closed after that.
  foundation.closer.add(() => closer.close())
  let opening: Promise<OpenedLog> | null = null
  return () => {
    opening ??= openLog({ ...foundation, closer }, local).catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
}

export interface Publishing<Mark extends BlockRef> {
  feed: FoldFeed<Mark>
  store: LmdbStore
  openLog: FeedLog
  /** Null: nothing is folded in this process. */
  fold: RunningFold | null
}

/**
 * Keeps the topic of a feed equal to its fold until the closer ends it, beside the fold: whenever
 * that has caught up or waits for its node.
 */
export function runPublisher<Mark extends BlockRef>(
  name: string,
  foundation: Foundation,
  { feed, store, openLog: open, fold }: Publishing<Mark>,
): void {
  const wakes = fold?.news.pipe(filter(({ kind }) => kind === 'level' || kind === 'away')) ?? NEVER
  supervise(name, foundation, async (signal) => {
    const { log, id } = await open()
    const published = openPublishedBlocks<Mark>(store, { topic: feed.topic, logId: id })
    await keepPublished({ feed, published, log, clock: foundation.clock }, wakes, signal)
  })
}
