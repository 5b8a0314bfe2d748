import { join } from 'node:path'
import { type Config, pairingDeployment, type Role } from '../schemas/config/config.ts'
import { startHeightOf } from '../schemas/config/start-heights.ts'
import type { OrderId } from '../schemas/scalars.ts'
import type { Served } from './context/serve.ts'
import { storeDirectory } from './open/local-store.ts'
import { redisPlace, usesRedis } from './open/redis-address.ts'

export interface BannerFacts {
  config: Config
  /** The log is for people. */
  isPretty: boolean
  /** What begins a command where the service was started. */
  command: string
  address: string
  metricsAddress: string
  isDevnet: boolean
  historyFault: string | null
  /** `both`: two pipelines in this process; null: none. */
  pairing: 'one' | 'both' | null
  /** An order to try commands with. */
  orderId: OrderId | null
}

/** What runs, on which stores, at which addresses, and commands to try. */
export function banner(facts: BannerFacts): string {
  const { config, address, metricsAddress, isDevnet, historyFault, pairing, orderId, isPretty } =
    facts
  const { command } = facts
  const { BITCOIN_NETWORK, BITCOIN_RPC_URL, ASSET_INDEX_URL, DATA_DIR } = config
  const api = `${address}/api/market`
  const node = isDevnet
    ? `built-in devnet, stored in ${join(DATA_DIR, 'devnet')}`
    : (BITCOIN_RPC_URL ?? 'not configured: set BITCOIN_RPC_URL')
  const index = isDevnet
    ? 'built-in devnet'
    : (ASSET_INDEX_URL ?? 'not configured: set ASSET_INDEX_URL')
  const history = historyOf(config, historyFault)
  return `
market is ready on ${api}

  network       ${BITCOIN_NETWORK}
  full node     ${node}
  asset index   ${index}
  event log     ${logOf(config)}
  order views   ${viewsOf(config)}
  history       ${history}
  pairing       ${pairingOf(config, pairing)}
  circles       ${circlesOf(config)}
  metrics       ${metricsAddress}/metrics
  reference     ${address}/docs

Try:
  curl -s ${api}/health
  curl -s '${api}/orders?sort=price_asc&limit=3'
  curl -s -X POST ${api}/orders/${orderId ?? 'ORDER_ID'}/revalidate
${pairing ? `  curl -s '${address}/pairing/verified/search?q=o'\n` : ''}${isDevnet ? playWith(command) : ''}
Stop with Ctrl-C; the next start continues from the stored data. ${isPretty ? 'The log follows; with LOG_FORMAT=json' : 'The log follows,'} one JSON line per entry.
${config.CONSOLE ? `\nOpen ${address}/ in a browser.\n` : ''}`
}

function pairingOf(config: Config, pairing: BannerFacts['pairing']): string {
  if (pairing === null) return 'off: PAIRING_ENABLED is false'
  const { PAIRING_PIPELINE, PAIRING_B_URL } = config
  const deployment = pairingDeployment(config)
  if (pairing === 'both') {
    return `pipelines A and B of ${deployment}, both in this process (devnet only)`
  }
  return `pipeline ${PAIRING_PIPELINE} of ${deployment}, verified against ${PAIRING_B_URL ?? 'no other pipeline: set PAIRING_B_URL'}`
}

const circlesOf = (config: Config): string =>
  config.CIRCLES_ENABLED
    ? `from block ${startHeightOf(config, 'circles')} on`
    : 'off: CIRCLES_ENABLED is false'

/** One role of several: what it does, and the stores that it shares with the others. */
export function roleBanner(
  { address, metricsAddress }: Served,
  config: Config & { ROLE: Exclude<Role, 'all'> },
): string {
  const { ROLE, BITCOIN_NETWORK, BITCOIN_RPC_URL, ASSET_INDEX_URL } = config
  const lines: Record<string, string | undefined> = {
    network: BITCOIN_NETWORK,
    ...(KEEPS_STATE.has(ROLE) ? { state: storeOf(config) } : { 'event log': logOf(config) }),
    ...(READS_CHAIN.has(ROLE) && {
      'full node': BITCOIN_RPC_URL ?? 'not configured: set BITCOIN_RPC_URL',
    }),
    ...(READS_ASSETS.has(ROLE) && {
      'asset index': ASSET_INDEX_URL ?? 'not configured: set ASSET_INDEX_URL',
    }),
    ...(READS_BOOK.has(ROLE) && {
      'order views': viewsOf(config),
      history: historyOf(config, null),
    }),
    ...(ROLE === 'webhooks' && { 'order views': viewsOf(config) }),
    ...(ROLE === 'pairing' && {
      pipeline: pairingOf(config, 'one'),
      routes: `${address}/pairing/readiness`,
    }),
    ...(ROLE === 'circles' && { routes: `${address}/circles/state` }),
    probes: `${address}/livez, ${address}/readyz`,
    metrics: `${metricsAddress}/metrics`,
    ...(ROLE === 'gateway' && { reference: `${address}/docs` }),
  }
  const rows = Object.entries(lines).map(([name, text]) => `  ${name.padEnd(13)} ${text}`)
  return `\nmarket runs as ${ROLE}: ${DOES[ROLE]}\n\n${rows.join('\n')}\n\n`
}

const DOES: Record<Exclude<Role, 'all'>, string> = {
  gateway: 'serves the API',
  ingest: 'follows node and index, and writes their changes to the log',
  actors: 'verifies the orders of its assigned partitions',
  projector: 'folds the log into the views and the history',
  webhooks: 'sends changes of orders to the endpoints of others',
  pairing: 'indexes objects and carriers, and serves reads verified with the other pipeline',
  circles: 'indexes the graph of lineages, and serves it with its hash',
}
const READS_CHAIN: ReadonlySet<Role> = new Set<Role>([
  'gateway',
  'ingest',
  'actors',
  'pairing',
  'circles',
])
const READS_ASSETS: ReadonlySet<Role> = new Set<Role>(['gateway', 'ingest', 'actors'])
/** Roles that fold blocks into a store of their own. */
const KEEPS_STATE: ReadonlySet<Role> = new Set<Role>(['pairing', 'circles'])
const READS_BOOK: ReadonlySet<Role> = new Set<Role>(['gateway', 'projector'])

const storeOf = (config: Config): string => `lmdb in ${storeDirectory(config)}`

export const logOf = (config: Config): string => {
  const { KAFKA_BROKERS, KAFKA_PREFIX, ORDER_PARTITIONS } = config
  const place = KAFKA_BROKERS
    ? `Kafka at ${KAFKA_BROKERS.join(', ')}${KAFKA_PREFIX && `, topics ${KAFKA_PREFIX}*`}`
    : storeOf(config)
  return `${place}, ${ORDER_PARTITIONS} partitions`
}

export const viewsOf = (config: Config): string =>
  usesRedis(config) ? redisPlace(config) : storeOf(config)

export function historyOf({ CLICKHOUSE_URL, DATA_DIR }: Config, fault: string | null): string {
  const folder = join(DATA_DIR, 'history')
  if (CLICKHOUSE_URL) {
    return fault
      ? `ClickHouse at ${CLICKHOUSE_URL}, unavailable`
      : `ClickHouse at ${CLICKHOUSE_URL}`
  }
  return fault ? awayHistory(fault, folder) : `chDB in ${folder}`
}

/** The engine's own message may be several lines long. */
const SHOWN_FAULT = 120

const awayHistory = (fault: string, folder: string): string =>
  `unavailable: ${(fault.split('\n')[0] ?? '').slice(0, SHOWN_FAULT)}
                everything else works; if the folder is damaged, stop, delete ${folder}, start:
                it is refilled from the log`

const playWith = (command: string): string => `
Control the devnet from another terminal:
  ${command} devnet mine | reorg | fund ADDRESS SATS | inscribe ADDRESS TEXT
  ${command} devnet objects create LABEL | circle MEMBERS
`
