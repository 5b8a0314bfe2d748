import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { OperatorError } from '../../ports/base-errors.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import { historyOf, logOf, viewsOf } from '../../roles/banner.ts'
import {
  type ContextOverrides,
  createContext,
  type RuntimeContext,
} from '../../roles/context/runtime-context.ts'
import { openProcessLog } from '../../roles/observe/logger.ts'
import { LocalStore, storeDirectory } from '../../roles/open/local-store.ts'
import { type OpenedLog, openLog } from '../../roles/open/open-log.ts'
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
 * Runs a command on the log that the configuration names, and closes what it opened. It creates no
 * log: throws `NoStoreError` or `KafkaRefusedError` if there is none, and `StorageUnavailableError` while a
 * service has DATA_DIR open, or no broker answers.
 */
export async function withExistingLog<T>(
  config: Config,
  command: ServerCommand,
  work: (kept: ExistingLog) => Promise<T>,
): Promise<T> {
  await using context = operatorContext(config, command)
  const local = new LocalStore(context)
  if (!config.KAFKA_BROKERS) assertStore(config)
  const opened = await openLog(context, local, { mustExist: true })
  return await work({ context, local, ...opened })
}

/**
 * Stdout is for the answer: a command logs to stderr, and only problems. One that opens Kafka or Redis
 * is named, since it opens no more than its row says; null: it opens neither.
 */
export const operatorContext = (
  config: Config,
  command: ServerCommand | null,
  given: ContextOverrides = {},
): RuntimeContext =>
  createContext(config, {
    logger: logOfCommand(config),
    needs: command === null ? [NO_SERVERS] : needsOfCommand(command, config.ROLE),
    ...given,
  })

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
