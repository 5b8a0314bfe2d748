import { filter, NEVER } from 'rxjs'
import type { LmdbStore } from '../../adapters/embedded/lmdb/lmdb-store.ts'
import { openPublishedBlocks } from '../../adapters/embedded/stores/published-blocks.ts'
import type { FoldFeed } from '../../ports/folds/fold-feed.ts'
import { onceMade } from '../../runtime/once-made.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import { keepPublished } from '../../streams/blocks/publish-fold.ts'
import { Closer } from '../context/closer.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { supervise } from '../context/supervise.ts'
import type { LocalStore } from '../open/local-store.ts'
import { type OpenedLog, openLog } from '../open/open-log.ts'
import type { RunningFold } from './run-fold.ts'

/** Opens the log that feeds are published to, or returns the open one. */
export type FeedLog = () => Promise<Pick<OpenedLog, 'log' | 'id'>>

/**
 * For a role that otherwise needs no log: null if no Kafka is configured. Opened at the first
 * write, so that the brokers may be unavailable at the start.
 */
export function feedLogOf(context: RuntimeContext, local: LocalStore): FeedLog | null {
  if (!context.config.KAFKA_BROKERS) return null
  const closer = new Closer()
  // Registered before its writers, and so closed after them.
  context.closer.add(() => closer.close())
  return onceMade(() => openLog({ ...context, closer }, local))
}

export interface Publishing<Mark extends BlockRef> {
  feed: FoldFeed<Mark>
  store: LmdbStore
  openLog: FeedLog
  /** Null if nothing is folded in this process. */
  fold: RunningFold | null
}

/**
 * Keeps a feed's topic equal to its fold until the closer ends; runs whenever the fold has caught
 * up or waits for its node.
 */
export function runPublisher<Mark extends BlockRef>(
  name: string,
  context: RuntimeContext,
  { feed, store, openLog: open, fold }: Publishing<Mark>,
): void {
  const wakes = fold?.news.pipe(filter(({ kind }) => kind === 'level' || kind === 'away')) ?? NEVER
  supervise(name, context, async (signal) => {
    const { log, id } = await open()
    const published = openPublishedBlocks<Mark>(store, { topic: feed.topic, logId: id })
    await keepPublished({ feed, published, log, clock: context.clock }, wakes, signal)
  })
}
