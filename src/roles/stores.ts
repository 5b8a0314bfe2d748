import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { EmbeddedBuiltAsks } from '../adapters/embedded/built-asks.ts'
import { openHistory } from '../adapters/embedded/history.ts'
import { EmbeddedIdempotency } from '../adapters/embedded/idempotency.ts'
import { openIngestStore } from '../adapters/embedded/ingest-store.ts'
import { LmdbStore } from '../adapters/embedded/lmdb-store.ts'
import { EmbeddedLog } from '../adapters/embedded/log.ts'
import { EmbeddedViews } from '../adapters/embedded/views.ts'
import type { BuiltAsks } from '../ports/built-asks.ts'
import type { Clock } from '../ports/clock.ts'
import type { OnPoint } from '../ports/crash-points.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { History } from '../ports/history.ts'
import type { IdempotencyStore } from '../ports/idempotency.ts'
import type { IngestStore } from '../ports/ingest-store.ts'
import type { OrderViews } from '../ports/order-views.ts'
import type { Config } from '../schemas/config.ts'
import type { Closer } from './closer.ts'
import type { Metrics } from './metrics.ts'

export interface Stores {
  log: EventLog
  views: OrderViews
  history: History
  idempotency: IdempotencyStore
  builds: BuiltAsks
  ingestStore: IngestStore
  /** Made by this start: there was no store in DATA_DIR. */
  isNew: boolean
}

export interface StoreSurroundings {
  clock: Clock
  logger: Logger
  metrics: Metrics
  closer: Closer
  onPoint?: OnPoint
}

/** Every store of DATA_DIR. Throws `StorageUnavailable` while another process has it open. */
export async function openStores(config: Config, surroundings: StoreSurroundings): Promise<Stores> {
  const { clock, logger, metrics, closer } = surroundings
  const directory = join(config.DATA_DIR, 'store')
  const isNew = !existsSync(directory)
  const store = await LmdbStore.open(directory)
  closer.add(() => store.close())
  const common = {
    store,
    clock,
    ...(surroundings.onPoint ? { onPoint: surroundings.onPoint } : {}),
  }
  const log = await EmbeddedLog.open({
    ...common,
    partitions: config.ORDER_PARTITIONS,
    onFailure: (failure) => {
      metrics.faults.inc({ part: 'event log' })
      logger.error({ ...failure, err: failure.error }, 'a batch of the log failed')
    },
  })
  const views = await EmbeddedViews.open({ ...common, network: config.BITCOIN_NETWORK })
  const history = openHistory({ directory: join(config.DATA_DIR, 'history'), ...common })
  closer.add(() => history.close())
  return {
    log,
    views,
    history,
    idempotency: new EmbeddedIdempotency(store),
    builds: new EmbeddedBuiltAsks(store),
    ingestStore: openIngestStore(store),
    isNew,
  }
}
