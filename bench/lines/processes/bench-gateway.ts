import type { FastifyInstance } from 'fastify'
import { createContext } from '../../../src/roles/context/runtime-context.ts'
import { LocalStore } from '../../../src/roles/open/local-store.ts'
import { openLog } from '../../../src/roles/open/open-log.ts'
import { openViews } from '../../../src/roles/open/open-read-models.ts'
import { gatewayApp, openGateway } from '../../../src/roles/parts/gateway.ts'
import { Config } from '../../../src/schemas/config/config.ts'

/** The location of its views: this Redis, or this DATA_DIR. */
export type ViewsOf = { redisUrl: string } | { dataDir: string }

export interface BenchGatewayOptions {
  of: ViewsOf
  /** Its own variables; with KAFKA_PREFIX the log in KAFKA_BROKERS is opened. */
  settings?: Record<string, string>
}

const notAsked = (what: string): never =>
  new Proxy(
    {},
    { get: () => () => Promise.reject(new Error(`${what} is not part of this bench`)) },
  ) as never

/**
 * The gateway as it is composed, with its limits, its metrics and its request log. What no read of
 * orders uses (log, history, authorities) is not opened.
 */
export async function benchGateway({
  of,
  settings = {},
}: BenchGatewayOptions): Promise<FastifyInstance> {
  const context = createContext(Config.parse({ ...settingsOf(of), ...SETTINGS, ...settings }))
  const local = new LocalStore(context)
  const stores = await openViews(context, local)
  const log = 'KAFKA_PREFIX' in settings ? (await openLog(context, local)).log : notAsked('the log')
  const book = {
    ...stores,
    history: notAsked('the history'),
    statistics: notAsked('the history'),
    versions: notAsked('the history'),
  }
  const authorities = { node: null, index: null, devnet: null } as never
  const parts = { log, book, authorities, signatures: notAsked('a signature') }
  const made = openGateway(context, parts)
  const browser = notAsked('the log')
  return gatewayApp(context, made, { browser, book, authorities }, async () => ({
    missing: [],
    degraded: [],
  }))
}

const SETTINGS = {
  CURSOR_KEY: '00'.repeat(32),
  // Each connection of the client counts as a client of its own, far from the limit.
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_READ: '100000',
  RATE_LIMIT_STREAM: '100000',
  ORDER_PARTITIONS: '16',
}

function settingsOf(of: ViewsOf): Record<string, string> {
  if ('dataDir' in of) return { ROLE: 'all', DATA_DIR: of.dataDir }
  return {
    ROLE: 'gateway',
    REDIS_URL: of.redisUrl,
    // Of these, only Redis is opened.
    KAFKA_BROKERS: '127.0.0.1:9',
    CLICKHOUSE_URL: 'http://127.0.0.1:9',
  }
}
