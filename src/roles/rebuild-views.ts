import { EmbeddedViews } from '../adapters/embedded/views.ts'
import type { Clock } from '../ports/clock.ts'
import type { RebuildableViews } from '../ports/order-views.ts'
import { type RebuildProgress, rebuildViews as rebuild } from '../projections/rebuild-views.ts'
import type { Config } from '../schemas/config.ts'
import type { Foundation } from './foundation.ts'
import { LocalStore } from './local-store.ts'
import { openLog } from './open-log.ts'
import { operatorFoundation } from './operator/open-kept.ts'
import { openRedisStores, usesRedis } from './redis-stores.ts'

export type { RebuildProgress }

export interface RebuildOptions {
  clock?: Clock
  onProgress?: (progress: RebuildProgress) => void
}

/**
 * `market rebuild views`: makes the order views again from the log, and has them take the place of
 * those that are read. Views in Redis are made again while they are served. A log or views in
 * DATA_DIR belong to one process: while a service has them open it throws `StorageUnavailable`,
 * which says to stop it. False when the signal ended it first: the views are then as they were.
 */
export async function rebuildViews(
  config: Config,
  signal: AbortSignal,
  { clock, onProgress }: RebuildOptions = {},
): Promise<boolean> {
  const foundation = operatorFoundation(config, clock ? { clock } : {})
  try {
    const local = new LocalStore(foundation)
    const { log } = await openLog(foundation, local, { mustExist: true })
    const parts = { log, views: await openViews(foundation, local), clock: foundation.clock }
    return await rebuild({ ...parts, ...(onProgress ? { onProgress } : {}) }, signal)
  } finally {
    await foundation.closer.close()
  }
}

async function openViews(foundation: Foundation, local: LocalStore): Promise<RebuildableViews> {
  const { config, clock } = foundation
  return usesRedis(config)
    ? (await openRedisStores(config, foundation)).views
    : await EmbeddedViews.open({
        store: await local.open(),
        network: config.BITCOIN_NETWORK,
        clock,
      })
}
