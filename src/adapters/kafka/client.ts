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

/** A client of the cluster; its producers and consumers connect by themselves. */
export const openClient = ({ brokers, clientId, tls, sasl, onLog }: KafkaSettings): Kafka =>
  new Kafka({
    clientId,
    brokers: [...brokers],
    ssl: tls,
    ...(sasl ? { sasl } : {}),
    connectionTimeout: 5_000,
    requestTimeout: 15_000,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => tell(entry, onLog),
  })

/** A commit and the next transaction of the same producer meet for a moment: retried, no error. */
const PASSING = /CONCURRENT_TRANSACTIONS|concurrent|REBALANCE_IN_PROGRESS|rebalancing/i

function tell({ level, namespace, log }: LogEntry, onLog: KafkaSettings['onLog']): void {
  const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...details } = log
  const text = `kafka ${namespace}: ${message}`
  if (PASSING.test(`${message} ${String(details['error'] ?? '')}`)) return
  onLog(level === logLevel.ERROR ? 'error' : 'warn', text, details)
}
