import type { HistoryUse } from '../../adapters/clickhouse/rights.ts'
import type { LogUse } from '../../adapters/kafka/client/rights.ts'
import type { RedisUse } from '../../adapters/redis/rights/redis-uses.ts'

/** What a role or a command does with the servers that check rights; null: it does not open it. */
export interface ServerNeeds {
  kafka: LogUse | null
  redis: readonly RedisUse[] | null
  /** On a server or in DATA_DIR. */
  history: readonly HistoryUse[] | null
}

/** Opens none. */
export const NO_SERVERS: ServerNeeds = { kafka: null, redis: null, history: null }

/** What one does with an open log, and nothing else. */
export const logUse = (use: Partial<LogUse>): LogUse => ({
  ...{ reads: [], appends: [], cuts: [], creates: false, joins: [], asks: [], transacts: [] },
  ...use,
})

/** A role or a command opens a server that its row of the table does not name: an error in the program. */
export class NeedsNotListedError extends Error {
  override name = 'NeedsNotListedError'

  constructor(server: 'Kafka' | 'Redis' | 'The history') {
    super(`${server} is opened by what src/roles/rights says does not need it`)
  }
}
