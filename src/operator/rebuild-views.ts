import { EmbeddedViews } from '../adapters/embedded/views/views.ts'
import type { RebuildableViews } from '../ports/views/order-views.ts'
import { type RebuildProgress, rebuildViews as rebuild } from '../projections/rebuild-views.ts'
import type { RuntimeContext } from '../roles/context/runtime-context.ts'
import { LocalStore } from '../roles/open/local-store.ts'
import { openLog } from '../roles/open/open-log.ts'
import { usesRedis } from '../roles/open/redis-address.ts'
import { openRedisStores } from '../roles/open/redis-stores.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../schemas/config/config.ts'
import { operatorContext } from './log/open-existing.ts'

export type { RebuildProgress }

export interface RebuildOptions {
  clock?: Clock
  onProgress?: (progress: RebuildProgress) => void
}

/**
 * `market rebuild views`: rebuilds the order views from the log, then switches readers to them.
 * Views in Redis can be rebuilt while in use. A log or views in DATA_DIR belong to one process:
 * while a service has them open it throws `StorageUnavailableError`, which says to stop it. False if the
 * signal interrupted it: the views are then unchanged.
 */
export async function rebuildStoredViews(
  config: Config,
  signal: AbortSignal,
  { clock, onProgress }: RebuildOptions = {},
): Promise<boolean> {
  await using context = operatorContext(config, 'rebuild views', clock ? { clock } : {})
  const local = new LocalStore(context)
  const { log } = await openLog(context, local, { mustExist: true })
  const parts = { log, views: await openViews(context, local), clock: context.clock }
  return await rebuild({ ...parts, ...(onProgress ? { onProgress } : {}) }, signal)
}

async function openViews(context: RuntimeContext, local: LocalStore): Promise<RebuildableViews> {
  const { config, clock } = context
  return usesRedis(config)
    ? (await openRedisStores(config, context)).views
    : await EmbeddedViews.open({
        store: await local.open(),
        network: config.BITCOIN_NETWORK,
        clock,
      })
}
