import { Kafka, type LogEntry, logLevel, type SASLOptions } from 'kafkajs'

export interface KafkaSettings {
  brokers: readonly string[]
  clientId: string
  tls: boolean
  sasl?: SASLOptions
  /** Begins the names of topics, groups and transactions: two services on one cluster stay apart. */
  prefix: string
  onLog(level: 'error' | 'warn', message: string, details: Record<string, unknown>): void
}

/** Milliseconds between two tries of what failed in passing. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 }
/** A consumer begins anew after whatever may pass. */
export const CONSUMER_RETRY = { ...RETRY, restartOnFailure: async () => true }

/** A client of the cluster; its producers and consumers connect by themselves. */
export const openClient = ({ brokers, clientId, tls, sasl, onLog }: KafkaSettings): Kafka =>
  new Kafka({
    clientId,
    brokers: [...brokers],
    ssl: tls,
    ...(sasl ? { sasl } : {}),
    connectionTimeout: 5_000,
    requestTimeout: 15_000,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => tell(entry, onLog),
  })

/**
 * What kafkajs says aloud and mends by itself: a commit meets the next transaction, a group moves,
 * and what it thinks of settings that are chosen here.
 */
const PASSING =
  /CONCURRENT_TRANSACTIONS|concurrent|REBALANCE_IN_PROGRESS|rebalancing|Limiting retries|switched default partitioner/i
/** An answer that the caller puts again, or throws: told there. */
const ANSWERED = /^Response /

function tell({ level, namespace, log }: LogEntry, onLog: KafkaSettings['onLog']): void {
  const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...details } = log
  if (PASSING.test(`${message} ${String(details['error'] ?? '')}`)) return
  const isError = level === logLevel.ERROR && !ANSWERED.test(message)
  const text = namespace ? `kafka ${namespace}: ${message}` : `kafka: ${message}`
  onLog(isError ? 'error' : 'warn', text, details)
}
