import type { SASLOptions } from 'kafkajs'
import { openIngestCopy, openIngestStore } from '../adapters/embedded/ingest-store.ts'
import { EmbeddedLog } from '../adapters/embedded/log.ts'
import { EmbeddedSnapshotStore } from '../adapters/embedded/snapshot-store.ts'
import { toldMempool } from '../adapters/kafka/ingest-changelog.ts'
import { IngestWriter } from '../adapters/kafka/ingest-writer.ts'
import { KafkaLog } from '../adapters/kafka/log.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { IngestStore } from '../ports/ingest-store.ts'
import type { Config } from '../schemas/config.ts'
import type { JournalParts } from '../streams/journal.ts'
import type { Foundation } from './foundation.ts'
import type { LocalStore } from './local-store.ts'

export interface OpenedLog {
  log: EventLog
  /** Another one each time that a log is made. */
  id: string
  /**
   * Runs the one writer of the chain with the log and the store that are its own, until it ends.
   * Null: another process has taken over, and this one must not write any more.
   */
  asIngest<T>(
    signal: AbortSignal,
    write: (parts: Pick<JournalParts, 'log' | 'store'>) => Promise<T>,
  ): Promise<T | 'replaced'>
  /** What the follower last kept, for the audit. */
  ingestStore: Pick<IngestStore, 'mempool'>
}

/**
 * The event log that the configuration names: Kafka, or the one of DATA_DIR. With `mustExist` topics
 * that are missing in Kafka are not made, but told.
 */
export function openLog(
  foundation: Foundation,
  local: LocalStore,
  { mustExist = false } = {},
): Promise<OpenedLog> {
  return foundation.config.KAFKA_BROKERS
    ? openKafkaLog(foundation, local, { brokers: foundation.config.KAFKA_BROKERS, mustExist })
    : openEmbeddedLog(foundation, local)
}

async function openEmbeddedLog(
  { config, clock, logger, metrics, onPoint }: Foundation,
  local: LocalStore,
): Promise<OpenedLog> {
  const store = await local.open()
  const log = await EmbeddedLog.open({
    store,
    clock,
    ...(onPoint ? { onPoint } : {}),
    partitions: config.ORDER_PARTITIONS,
    onFailure: (failure) => {
      metrics.faults.inc({ part: 'event log' })
      logger.error({ ...failure, err: failure.error }, 'a batch of the log failed')
    },
  })
  const ingest = openIngestStore(store)
  return {
    log,
    // Its records and what is noted of them go together.
    id: 'embedded',
    asIngest: (_signal, write) => write({ log, store: ingest }),
    ingestStore: ingest,
  }
}

async function openKafkaLog(
  foundation: Foundation,
  local: LocalStore,
  where: { brokers: readonly string[]; mustExist: boolean },
): Promise<OpenedLog> {
  const { config, clock, logger, metrics, closer, onPoint } = foundation
  const log = await KafkaLog.open({
    ...kafkaSettings(config),
    ...where,
    clock,
    // Only who owns partitions, or writes the chain, keeps anything near it.
    snapshots: async () => new EmbeddedSnapshotStore(await local.open()),
    ...(onPoint ? { onPoint } : {}),
    onLog: (level, message, details) => logger[level](details, message),
    onFailure: (failure) => {
      metrics.faults.inc({ part: 'event log' })
      logger.error({ ...failure, err: failure.error }, 'a partition is taken anew')
    },
    onGap: (gap) => {
      metrics.faults.inc({ part: 'event log' })
      logger.error(gap, 'records were deleted before they were read: raise the retention')
    },
  })
  closer.add(() => log.close())
  let writer: IngestWriter | null = null
  return {
    log,
    id: log.settings.id,
    asIngest: async (signal, write) => {
      writer ??= new IngestWriter(log, openIngestCopy(await local.open()))
      return await writer.run(signal, (store) => write({ log: store, store }))
    },
    ingestStore: { mempool: () => toldMempool(log) },
  }
}

/** How the cluster is spoken to, and what its log must have been made for. */
export function kafkaSettings(config: Config) {
  const sasl = saslOf(config)
  return {
    clientId: config.KAFKA_CLIENT_ID,
    prefix: config.KAFKA_PREFIX,
    tls: config.KAFKA_TLS,
    ...(sasl ? { sasl } : {}),
    network: config.BITCOIN_NETWORK,
    partitions: config.ORDER_PARTITIONS,
  }
}

function saslOf({
  KAFKA_SASL_MECHANISM: mechanism,
  KAFKA_SASL_USERNAME: username,
  KAFKA_SASL_PASSWORD: password,
}: Config): SASLOptions | null {
  return mechanism && username && password
    ? ({ mechanism, username, password } as SASLOptions)
    : null
}
