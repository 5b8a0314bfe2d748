import { forgetUnproved } from '../../adapters/embedded/log/forget-unproved.ts'
import { EmbeddedUnprovedPool } from '../../adapters/embedded/stores/unproved-pool.ts'
import { StorageUnavailableError } from '../../ports/log/storage-errors.ts'
import { HistoryUnavailableError } from '../../ports/views/history.ts'
import type { LocalStore } from '../open/local-store.ts'
import { openHistory } from '../open/open-history.ts'
import { usesRedis } from '../open/redis-stores.ts'
import type { RuntimeContext } from '../runtime-context.ts'

/**
 * Removes orders that an earlier release kept in the log of DATA_DIR although they were never
 * proved. Single records cannot be removed from a log in Kafka, and views in Redis would have to be
 * rebuilt: there the orders stay. Without a history, or room on the disk, they wait for the next
 * start.
 */
export async function forgetUnprovedOfBefore(
  context: RuntimeContext,
  local: LocalStore,
): Promise<void> {
  const { config, clock, logger } = context
  if (config.KAFKA_BROKERS || usesRedis(config) || local.isNew) return
  const store = await local.open()
  try {
    const found = await forgetUnproved({
      store,
      partitions: config.ORDER_PARTITIONS,
      pool: new EmbeddedUnprovedPool(store),
      history: await openHistory(context),
      now: clock.now(),
      turn: () => clock.turn(),
    })
    if (found.removed + found.left > 0) logger.info(found, 'unproved orders removed from the log')
  } catch (error) {
    if (!isForAWhile(error)) throw error
    logger.warn({ err: error }, 'unproved orders stay in the log until the next start')
  }
}

const isForAWhile = (error: unknown): boolean =>
  error instanceof HistoryUnavailableError ||
  (error instanceof StorageUnavailableError && error.reason === 'full')
