import kafkajs, {
  type Consumer,
  type ConsumerConfig,
  Kafka,
  type LogEntry,
  logLevel,
  type Producer,
  type ProducerConfig,
  type SASLOptions,
} from 'kafkajs'
import { isDenied, noteCoordinators } from './denied.ts'
import { gzipCodec } from './gzip.ts'
import { quietNegativeTimers } from './negative-timers.ts'
import { type TlsFiles, tlsSockets } from './tls-sockets.ts'

kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP] = () => gzipCodec
quietNegativeTimers()

export interface KafkaSettings {
  brokers: readonly string[]
  clientId: string
  /** Over TLS, with these files. */
  tls?: TlsFiles
  sasl?: SASLOptions
  /**
   * Prefix of the names of topics, groups and transactions: keeps two services on one cluster
   * apart.
   */
  prefix: string
  /** What the driver recovers from by itself: many times a second while brokers are away. */
  onLog(level: 'error' | 'warn', message: string): void
}

/** Milliseconds between retries of transient failures. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 }
/**
 * A consumer that restarts after any failure that may pass, and that `disconnect` ends for good.
 * kafkajs restarts one that crashed just before, and keeps one in its group that was joining it.
 */
export function openConsumer(kafka: Kafka, config: Omit<ConsumerConfig, 'retry'>): Consumer {
  let hasEnded = false
  const restartOnFailure = async (error: Error) => !hasEnded && !isDenied(kafka, error)
  const consumer = kafka.consumer({ ...config, retry: { ...RETRY, restartOnFailure } })
  const endAgain = () => {
    // It can be ended only after this event of its joining.
    if (hasEnded) setTimeout(() => void consumer.disconnect().catch(() => undefined))
  }
  consumer.on(consumer.events.GROUP_JOIN, endAgain)
  consumer.on(consumer.events.HEARTBEAT, endAgain)
  return {
    ...consumer,
    disconnect: async () => {
      hasEnded = true
      await consumer.disconnect()
    },
  }
}

/** The producer once this is done, or the error, and nothing of the producer stays connected. */
export async function orDisconnected(
  producer: Producer,
  work: () => Promise<unknown>,
): Promise<Producer> {
  try {
    await work()
    return producer
  } catch (error) {
    await producer.disconnect().catch(() => undefined)
    throw error
  }
}

/**
 * Its topics have settings of their own, so brokers make none that is asked for and missing. What kafkajs
 * administers with asks for none either.
 */
class ClientOfOwnTopics extends Kafka {
  override producer(settings: ProducerConfig = {}): Producer {
    return super.producer({ ...settings, allowAutoTopicCreation: false })
  }

  override consumer(settings: ConsumerConfig): Consumer {
    return super.consumer({ ...settings, allowAutoTopicCreation: false })
  }
}

/**
 * A client of the cluster; its producers and consumers connect by themselves.
 *
 * @throws KafkaRefusedError for files of TLS that cannot be used
 */
export function openClient({ brokers, clientId, tls, sasl, onLog }: KafkaSettings): Kafka {
  const kafka: Kafka = new ClientOfOwnTopics({
    clientId,
    brokers: [...brokers],
    ...(tls ? { ssl: true, socketFactory: tlsSockets(tls) } : {}),
    ...(sasl ? { sasl } : {}),
    connectionTimeout: 5_000,
    requestTimeout: 15_000,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      noteCoordinators(() => kafka, entry)
      tell(entry, onLog)
    },
  })
  return kafka
}

/**
 * What kafkajs logs but recovers from by itself: a commit that overlaps the next transaction, a
 * moved group, and warnings about settings chosen here.
 */
const PASSING =
  /CONCURRENT_TRANSACTIONS|concurrent|REBALANCE_IN_PROGRESS|rebalancing|Limiting retries|switched default partitioner/i
/** An error answer that the caller retries or throws: reported there. */
const ANSWERED = /^Response /

/**
 * What its caller reports: the lack of a right, and that a topic does not exist whose settings were
 * asked for to know it.
 */
const REPORTED = /^Response \w+\(.*authori[sz]|^Response DescribeConfigs\b/i

function tell({ level, namespace, log }: LogEntry, onLog: KafkaSettings['onLog']): void {
  const { message, error, broker } = log
  const text = [namespace, message, error, broker && `broker ${String(broker)}`]
    .filter((part) => part !== undefined && part !== '')
    .map(String)
    .join(': ')
  if (PASSING.test(text) || REPORTED.test(`${message} ${String(error)}`)) return
  const isError = level === logLevel.ERROR && !ANSWERED.test(message)
  onLog(isError ? 'error' : 'warn', text)
}
