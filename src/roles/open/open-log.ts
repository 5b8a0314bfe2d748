import type { SASLOptions } from 'kafkajs'
import { openIngestCopy, openIngestStore } from '../../adapters/embedded/log/ingest-store.ts'
import { allPartitions, EmbeddedLog } from '../../adapters/embedded/log/log.ts'
import { EmbeddedRecordBrowser } from '../../adapters/embedded/log/record-browser.ts'
import { topicSizes } from '../../adapters/embedded/log/sizes.ts'
import { EmbeddedSnapshotStore } from '../../adapters/embedded/log/snapshot-store.ts'
import { oauthTokens } from '../../adapters/kafka/client/oauth-tokens.ts'
import type { TlsFiles } from '../../adapters/kafka/client/tls-sockets.ts'
import { reportedMempool } from '../../adapters/kafka/ingest-changelog.ts'
import { inTurns } from '../../adapters/kafka/ingest-turns.ts'
import { IngestWriter } from '../../adapters/kafka/ingest-writer.ts'
import { KafkaLog, type KafkaLogOptions } from '../../adapters/kafka/log.ts'
import { groupShares } from '../../adapters/kafka/partition-shares.ts'
import { KafkaRecordBrowser } from '../../adapters/kafka/record-browser.ts'
import { kafkaTopicSizes } from '../../adapters/kafka/topics/sizes.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { IngestStore } from '../../ports/log/ingest-store.ts'
import type { PartitionShares } from '../../ports/log/partition-shares.ts'
import type { RecordBrowser } from '../../ports/log/record-browser.ts'
import type { TopicSize } from '../../ports/log/sizes.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Turn } from '../../runtime/turn.ts'
import type { Config } from '../../schemas/config/config.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { JournalParts } from '../../streams/ingest/journal.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import { headSigner } from '../keys/head-keys.ts'
import { logUsesOf } from '../rights/needs-of.ts'
import { NeedsNotListedError } from '../rights/server-needs.ts'
import type { LocalStore } from './local-store.ts'

export interface OpenedLog {
  log: EventLog
  /** A new id each time a log is created. */
  id: string
  /** The form of records that releases share; null: the log is in DATA_DIR, and has one reader. */
  form: (Pick<KafkaLog['settings'], 'schema'> & { raise(schema: number): Promise<void> }) | null
  /**
   * Runs the single writer of the chain with its own log and store whenever it is this process's
   * turn, which it decides, until the signal aborts.
   */
  asIngest(
    write: (parts: Pick<JournalParts, 'log' | 'store'>, signal: AbortSignal) => Promise<void>,
    turn: Turn,
    signal: AbortSignal,
  ): Promise<void>
  /** Divides the partitions among the processes that send webhooks. */
  shares: PartitionShares
  /** The follower's last stored state, for the audit. */
  ingestStore: Pick<IngestStore, 'mempool'>
  /** For operators, who read any record. */
  browser: RecordBrowser
  /** The sizes of the topics, and of what was added since a time, Unix milliseconds. */
  sizes(since: number): Promise<TopicSize[]>
}

/**
 * The event log that the configuration names: Kafka, or the one of DATA_DIR. For Kafka: with
 * `mustExist` missing topics are reported, not created; with `withoutAfterMs` a start does not fail
 * for brokers that are away.
 */
export function openLog(
  context: RuntimeContext,
  local: LocalStore,
  options: Pick<KafkaLogOptions, 'mustExist' | 'withoutAfterMs'> = {},
): Promise<OpenedLog> {
  return context.config.KAFKA_BROKERS
    ? openKafkaLog(context, local, { brokers: context.config.KAFKA_BROKERS, ...options })
    : openEmbeddedLog(context, local)
}

async function openEmbeddedLog(
  { config, clock, report, onPoint }: RuntimeContext,
  local: LocalStore,
): Promise<OpenedLog> {
  const store = await local.open()
  const heads = headSigner(config)
  const log = await EmbeddedLog.open({
    store,
    clock,
    ...(heads ? { heads } : {}),
    ...(onPoint ? { onPoint } : {}),
    partitions: config.ORDER_PARTITIONS,
    onFailure: ({ error, ...where }) => report('event log', error, 'log batch failed', where),
  })
  const ingest = openIngestStore(store, log)
  return {
    log,
    // The log's records and the notes about them share one store.
    id: 'embedded',
    form: null,
    asIngest: async (write, turn, signal) => {
      turn.set(true)
      await write({ log, store: ingest }, signal)
    },
    shares: allPartitions(log.partitions),
    ingestStore: ingest,
    browser: new EmbeddedRecordBrowser(store, log.partitions, clock),
    sizes: (since) => topicSizes(store, log.partitions, since, clock),
  }
}

async function openKafkaLog(
  context: RuntimeContext,
  local: LocalStore,
  where: Pick<KafkaLogOptions, 'brokers' | 'mustExist' | 'withoutAfterMs'>,
): Promise<OpenedLog> {
  const { config, clock, logger, metrics, closer, outages, report, onPoint } = context
  if (logUsesOf(context.needs).length === 0) throw new NeedsNotListedError('Kafka')
  const heads = headSigner(config)
  const log = await KafkaLog.open({
    ...kafkaSettings(config, clock),
    ...(heads ? { heads } : {}),
    ...where,
    clock,
    // Only a process that owns partitions, or writes the chain, keeps local state.
    snapshots: async () => new EmbeddedSnapshotStore(await local.open()),
    ...(onPoint ? { onPoint } : {}),
    onLog: (level, message) => outages.noticed('kafka', level, new Error(message)),
    onFailure: ({ error, ...where }) => report('event log', error, 'partition reopened', where),
    onGap: (gap) => {
      metrics.faults.inc({ part: 'event log' })
      logger.error(gap, 'records deleted before they were read: raise the retention')
    },
  })
  closer.add(() => log.close())
  outages.watch('kafka', () => log.end(TOPICS.lifecycle, 0))
  let writer: IngestWriter | null = null
  return {
    log,
    get id() {
      return log.id
    },
    form: {
      get schema() {
        return log.settings.schema
      },
      raise: (schema) => log.raiseSchema(schema),
    },
    asIngest: async (write, turn, signal) => {
      writer ??= new IngestWriter(log, openIngestCopy(await local.open()), clock)
      const ours = writer
      const { kafka, prefix } = log
      await inTurns(
        { kafka, prefix, clock, turn },
        {
          work: (until) => ours.run(until, (store) => write({ log: store, store }, until)),
          wait: (until) => ours.follow(until),
        },
        signal,
      )
    },
    shares: groupShares(log),
    ingestStore: { mempool: () => reportedMempool(log) },
    browser: new KafkaRecordBrowser(log),
    sizes: (since) => {
      const { kafka, prefix, partitions } = log
      return kafkaTopicSizes({ kafka, prefix, partitions, since })
    },
  }
}

/** Connection settings of the cluster, and the settings its log must have been created with. */
export function kafkaSettings(config: Config, clock: Clock) {
  const sasl = saslOf(config, clock)
  return {
    clientId: config.KAFKA_CLIENT_ID,
    prefix: config.KAFKA_PREFIX,
    ...(config.KAFKA_TLS ? { tls: tlsFilesOf(config) } : {}),
    ...(sasl ? { sasl } : {}),
    network: config.BITCOIN_NETWORK,
    partitions: config.ORDER_PARTITIONS,
  }
}

const tlsFilesOf = ({
  KAFKA_TLS_CA_FILE: ca,
  KAFKA_TLS_CERT_FILE: cert,
  KAFKA_TLS_KEY_FILE: key,
}: Config): TlsFiles => ({ ...(ca ? { ca } : {}), ...(cert && key ? { own: { cert, key } } : {}) })

/** The login; the configuration has either all of its parts or none. */
function saslOf(config: Config, clock: Clock): SASLOptions | null {
  const { KAFKA_OAUTH_TOKEN_URL: tokenUrl, KAFKA_OAUTH_SCOPE: scope } = config
  const { KAFKA_OAUTH_CLIENT_ID: id = '', KAFKA_OAUTH_CLIENT_SECRET: secret = '' } = config
  if (tokenUrl) {
    const oauthBearerProvider = oauthTokens(
      { tokenUrl, id, secret, ...(scope ? { scope } : {}) },
      clock,
    )
    return { mechanism: 'oauthbearer', oauthBearerProvider }
  }
  const { KAFKA_SASL_MECHANISM: mechanism } = config
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config
  return mechanism && username && password
    ? ({ mechanism, username, password } as SASLOptions)
    : null
}
