import { existsSync } from 'node:fs'
import type { EventLog } from '../../ports/event-log.ts'
import type { IngestStore } from '../../ports/ingest-store.ts'
import type { Config } from '../../schemas/config.ts'
import { historyOf, logOf, viewsOf } from '../banner.ts'
import { type Foundation, type Given, layFoundation } from '../foundation.ts'
import { LocalStore, storeDirectory } from '../local-store.ts'
import { openLogger } from '../logger.ts'
import { openLog } from '../open-log.ts'

/** There is nothing to look at: the folder holds no store. */
export class NoStore extends Error {
  override name = 'NoStore'
}

export function assertStore(config: Config): void {
  if (existsSync(storeDirectory(config))) return
  throw new NoStore(
    `there is no store in ${config.DATA_DIR}: set DATA_DIR to the folder of the service`,
  )
}

export interface KeptLog {
  foundation: Foundation
  local: LocalStore
  log: EventLog
  ingestStore: Pick<IngestStore, 'mempool'>
}

/**
 * Runs a command on the log that the configuration names, and closes what it opened. It makes no log:
 * throws `NoStore` or `KafkaRefused` where there is none, and `StorageUnavailable` while a service
 * has DATA_DIR open, or no broker answers.
 */
export async function withKeptLog<T>(
  config: Config,
  work: (kept: KeptLog) => Promise<T>,
): Promise<T> {
  const foundation = operatorFoundation(config)
  const local = new LocalStore(foundation)
  if (!config.KAFKA_BROKERS) assertStore(config)
  try {
    const opened = await openLog(foundation, local, { mustExist: true })
    return await work({ foundation, local, ...opened })
  } finally {
    await foundation.closer.close()
  }
}

/** What is printed is the answer: the log of a command goes beside it, and says only what is amiss. */
export const operatorFoundation = (config: Config, given: Given = {}): Foundation =>
  layFoundation(config, {
    logger: openLogger({ LOG_LEVEL: levelOf(config) }, process.stderr),
    ...given,
  })

const levelOf = ({ LOG_LEVEL }: Config) => (LOG_LEVEL === 'info' ? 'warn' : LOG_LEVEL)

/** Where it all stands, a line each. */
export const sourcesOf = (config: Config): string =>
  [
    `event log    ${logOf(config)}`,
    `order views  ${viewsOf(config)}`,
    `history      ${historyOf(config, null)}`,
  ].join('\n')

export const partitionsOf = ({ partitions }: Pick<EventLog, 'partitions'>): number[] =>
  Array.from({ length: partitions }, (_, partition) => partition)
