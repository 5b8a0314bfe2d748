import type { Door } from '../adapters/door/door.ts'
import { EmbeddedViews } from '../adapters/embedded/views/views.ts'
import type { RebuildableViews, RebuildProgress } from '../ports/views/order-views.ts'
import { rebuildViews as rebuild } from '../projections/rebuild-views.ts'
import type { RuntimeContext } from '../roles/context/runtime-context.ts'
import { LocalStore } from '../roles/open/local-store.ts'
import { openLog } from '../roles/open/open-log.ts'
import { usesRedis } from '../roles/open/redis-address.ts'
import { openRedisStores } from '../roles/open/redis-stores.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Config } from '../schemas/config/config.ts'
import { operatorContext, serviceBeside } from './log/open-existing.ts'

export interface RebuildOptions {
  clock?: Clock
  onProgress?: (progress: RebuildProgress) => void
}

/**
 * `market rebuild views`: rebuilds the order views from the log, then switches readers to them.
 * They can be rebuilt while in use: those in Redis by this process, those in DATA_DIR by the service
 * that has them open. False if the signal interrupted it: the views are then unchanged.
 */
export async function rebuildStoredViews(
  config: Config,
  signal: AbortSignal,
  { clock, onProgress }: RebuildOptions = {},
): Promise<boolean> {
  const door = usesRedis(config) ? null : await serviceBeside(config)
  const given = { door, ...(clock && { clock }) }
  await using context = operatorContext(config, 'rebuild views', given)
  if (door) return await rebuiltThere(door, signal, onProgress)
  const local = new LocalStore(context)
  const { log } = await openLog(context, local, { mustExist: true })
  const parts = { log, views: await openViews(context, local), clock: context.clock }
  return await rebuild({ ...parts, ...(onProgress ? { onProgress } : {}) }, signal)
}

async function rebuiltThere(
  door: Door,
  signal: AbortSignal,
  onProgress: RebuildOptions['onProgress'],
): Promise<boolean> {
  for await (const events of door.follow('rebuildViews', signal))
    for (const event of events) {
      if ('result' in event) return event.result
      onProgress?.(event.step)
    }
  return false
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
