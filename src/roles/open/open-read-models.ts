import { EmbeddedBuiltAsks } from '../../adapters/embedded/stores/built-asks.ts'
import { EmbeddedIdempotency } from '../../adapters/embedded/stores/idempotency.ts'
import { EmbeddedUnprovedPool } from '../../adapters/embedded/stores/unproved-pool.ts'
import { EmbeddedWebhookProgress } from '../../adapters/embedded/stores/webhook-progress.ts'
import { EmbeddedViews } from '../../adapters/embedded/views/views.ts'
import type { HistorySizes } from '../../ports/log/sizes.ts'
import type { BuiltAsks } from '../../ports/views/built-asks.ts'
import type { History } from '../../ports/views/history.ts'
import type { IdempotencyStore } from '../../ports/views/idempotency.ts'
import type { OrderVersions } from '../../ports/views/order-versions.ts'
import type { OrderViews, RebuildableViews } from '../../ports/views/order-views.ts'
import type { RequestCounts } from '../../ports/views/request-counts.ts'
import type { Statistics } from '../../ports/views/statistics.ts'
import type { UnprovedPool } from '../../ports/views/unproved-pool.ts'
import type { WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import type { LocalStore } from './local-store.ts'
import { openHistory } from './open-history.ts'
import { usesRedis } from './redis-address.ts'
import { openRedisStores } from './redis-stores.ts'

/** The stores that answers are read from, and the gateways' state about their clients. */
export interface ReadModels {
  views: OrderViews
  history: History
  statistics: Statistics
  versions: OrderVersions
  idempotency: IdempotencyStore
  builds: BuiltAsks
  pool: UnprovedPool
  webhookProgress: WebhookProgress
  /** Absent: this gateway counts alone. */
  sharedCounts?: RequestCounts
}

/** As they are opened: operators ask more of them than roles. */
export interface OpenedModels extends ReadModels {
  views: RebuildableViews
  history: History & HistorySizes
}

/** The views of Redis or of DATA_DIR, the history of ClickHouse or of DATA_DIR. */
export async function openReadModels(
  context: RuntimeContext,
  local: LocalStore,
  access?: 'read' | 'write',
): Promise<OpenedModels> {
  const views = await openViews(context, local)
  const history = await openHistory(context, access)
  return { ...views, history, statistics: history.statistics(), versions: history.versions() }
}

/** Everything except the history. */
export async function openViews(
  context: RuntimeContext,
  local: LocalStore,
): Promise<Omit<OpenedModels, 'history' | 'statistics' | 'versions'>> {
  const { config, clock, onPoint } = context
  if (usesRedis(config)) return await openRedisStores(config, context)
  const store = await local.open()
  const views = await EmbeddedViews.open({
    store,
    clock,
    network: config.BITCOIN_NETWORK,
    ...(onPoint ? { onPoint } : {}),
  })
  context.closer.add(() => views.close())
  const others = store.opening(() => ({
    idempotency: new EmbeddedIdempotency(store),
    builds: new EmbeddedBuiltAsks(store),
    pool: new EmbeddedUnprovedPool(store),
    webhookProgress: new EmbeddedWebhookProgress(store),
  }))
  return { views, ...others }
}
