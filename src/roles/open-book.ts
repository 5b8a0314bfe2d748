import { EmbeddedBuiltAsks } from '../adapters/embedded/built-asks.ts'
import { EmbeddedIdempotency } from '../adapters/embedded/idempotency.ts'
import { EmbeddedUnprovedPool } from '../adapters/embedded/unproved-pool.ts'
import { EmbeddedViews } from '../adapters/embedded/views.ts'
import type { SharedCounts } from '../http/plugins/rate-limits.ts'
import type { BuiltAsks } from '../ports/built-asks.ts'
import type { History } from '../ports/history.ts'
import type { IdempotencyStore } from '../ports/idempotency.ts'
import type { OrderViews } from '../ports/order-views.ts'
import type { UnprovedPool } from '../ports/unproved-pool.ts'
import type { Foundation } from './foundation.ts'
import type { LocalStore } from './local-store.ts'
import { openHistory } from './open-history.ts'
import { openRedisStores, usesRedis } from './redis-stores.ts'

/** What answers are read from, and what gateways remember of their clients. */
export interface Book {
  views: OrderViews
  history: History
  idempotency: IdempotencyStore
  builds: BuiltAsks
  pool: UnprovedPool
  /** Absent: this gateway counts for itself. */
  sharedCounts?: SharedCounts
}

/** The views of Redis or of DATA_DIR, the history of ClickHouse or of DATA_DIR. */
export async function openBook(
  foundation: Foundation,
  local: LocalStore,
  access?: 'read' | 'write',
): Promise<Book> {
  const views = await openViews(foundation, local)
  return { ...views, history: await openHistory(foundation, access) }
}

/** All but the history. */
export async function openViews(
  foundation: Foundation,
  local: LocalStore,
): Promise<Omit<Book, 'history'>> {
  const { config, clock, onPoint } = foundation
  if (usesRedis(config)) return await openRedisStores(config, foundation)
  const store = await local.open()
  return {
    views: await EmbeddedViews.open({
      store,
      clock,
      network: config.BITCOIN_NETWORK,
      ...(onPoint ? { onPoint } : {}),
    }),
    idempotency: new EmbeddedIdempotency(store),
    builds: new EmbeddedBuiltAsks(store),
    pool: new EmbeddedUnprovedPool(store),
  }
}
