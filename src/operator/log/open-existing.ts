import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { Door } from '../../adapters/door/door.ts'
import { type AskedHistory, doorLog } from '../../adapters/door/door-parts.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { OrderViews } from '../../ports/views/order-views.ts'
import { historyOf, logOf, viewsOf } from '../../roles/banner.ts'
import {
  type ContextOverrides,
  createContext,
  type RuntimeContext,
} from '../../roles/context/runtime-context.ts'
import { BUILD_INFO } from '../../roles/observe/build-info.ts'
import { openProcessLog } from '../../roles/observe/logger.ts'
import { LocalStore, storeDirectory } from '../../roles/open/local-store.ts'
import { openHistoryToAsk } from '../../roles/open/open-history.ts'
import { type OpenedLog, openLog } from '../../roles/open/open-log.ts'
import { openViews } from '../../roles/open/open-read-models.ts'
import { usesRedis } from '../../roles/open/redis-address.ts'
import type { ServerCommand } from '../../roles/rights/command-needs.ts'
import { needsOfCommand } from '../../roles/rights/needs-of.ts'
import { NO_SERVERS } from '../../roles/rights/server-needs.ts'
import type { Config } from '../../schemas/config/config.ts'

/** There is nothing to read: the folder holds no store. */
export class NoStoreError extends OperatorError {
  override name = 'NoStoreError'
}

export function assertStore(config: Config): void {
  if (existsSync(storeDirectory(config))) return
  throw new NoStoreError(
    `there is no store in ${config.DATA_DIR}: set DATA_DIR to the service's folder`,
  )
}

export interface ExistingLog extends Pick<OpenedLog, 'log' | 'form' | 'ingestStore' | 'sizes'> {
  context: RuntimeContext
  local: LocalStore
}

/**
 * Runs a command on the log that the configuration names, and closes what it opened. A log in DATA_DIR
 * that a service has open is asked of that service. It creates no log: throws `NoStoreError` or
 * `KafkaRefusedError` if there is none, and `StorageUnavailableError` if no broker answers, or another
 * command has DATA_DIR open.
 */
export async function withExistingLog<T>(
  config: Config,
  command: ServerCommand,
  work: (kept: ExistingLog) => Promise<T>,
): Promise<T> {
  if (!config.KAFKA_BROKERS) assertStore(config)
  await using context = operatorContext(config, command, { door: await serviceBeside(config) })
  const local = new LocalStore(context)
  const { door } = context
  const opened =
    door && !config.KAFKA_BROKERS
      ? lentLog(door)
      : await openLog(context, local, { mustExist: true })
  return await work({ context, local, ...opened })
}

/** The service that has DATA_DIR open; null if none has, as far as it can be asked. */
export const serviceBeside = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): Promise<Door | null> =>
  Door.find(DATA_DIR, BUILD_INFO.version)

const lentLog = (door: Door): Omit<ExistingLog, 'context' | 'local'> => ({
  log: doorLog(door),
  form: null,
  ingestStore: {
    mempool: async function* () {
      for await (const txids of door.follow('mempool', null)) yield* txids
    },
  },
  sizes: (since) => door.ask('topicSizes', since),
})

/** What is asked of the views and the history. */
export interface OpenedReaders {
  views: Pick<OrderViews, 'position'>
  history: AskedHistory
}

/** The views and the history that the configuration names, or the service beside this lends. */
export async function openReaders({
  context,
  local,
}: Pick<ExistingLog, 'context' | 'local'>): Promise<OpenedReaders> {
  const { door, config } = context
  const views =
    door && !usesRedis(config)
      ? { position: (partition: number) => door.ask('viewed', partition) }
      : (await openViews(context, local)).views
  return { views, history: await openHistoryToAsk(context, 'read') }
}

/**
 * Stdout is for the answer: a command logs to stderr, and only problems. One that opens Kafka, Redis
 * or the history is named, since it opens no more than its row says; null: it opens none.
 */
export const operatorContext = (
  config: Config,
  command: ServerCommand | null,
  given: ContextOverrides = {},
): RuntimeContext => {
  const context = createContext(config, {
    logger: logOfCommand(config),
    needs: command === null ? [NO_SERVERS] : needsOfCommand(command, config.ROLE),
    ...given,
  })
  context.closer.add(() => context.door?.close())
  return context
}

function logOfCommand({ LOG_LEVEL, ...config }: Config): Logger {
  const level = LOG_LEVEL === 'info' ? 'warn' : LOG_LEVEL
  const { logger, begin } = openProcessLog({ ...config, LOG_LEVEL: level }, process.stderr)
  begin()
  return logger
}

/** Where each store is, one per line. */
export const sourcesOf = (config: Config): string =>
  [
    `event log    ${logOf(config)}`,
    `order views  ${viewsOf(config)}`,
    `history      ${historyOf(config, null)}`,
  ].join('\n')

export const partitionsOf = ({ partitions }: Pick<EventLog, 'partitions'>): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition)
