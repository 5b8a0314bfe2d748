import { existsSync } from 'node:fs'
import { historyOf, logOf, viewsOf } from '../../roles/banner.ts'
import { storeDirectory } from '../../roles/open/local-store.ts'
import { HealthReport, ReadinessReport } from '../../schemas/api/health.ts'
import { type Config, localAddress, usesDevnet } from '../../schemas/config/config.ts'
import { OrderPage } from '../../schemas/order.ts'
import { askService, ServiceAwayError, ServiceRefusedError } from './ask-service.ts'

/** How long an unknown address is waited for, milliseconds. */
const PATIENCE_MS = 3_000

export interface ServiceStatus {
  network: Config['BITCOIN_NETWORK']
  role: Config['ROLE']
  dataDir: string
  /** False: no service was ever started on DATA_DIR. */
  hasStore: boolean
  stores: { log: string; views: string; history: string }
  node: string
  address: string
  /** `away`: nothing listens there; `other`: what listens there is no service of this release. */
  service: 'ready' | 'not_ready' | 'away' | 'other'
  /** Why it is not ready, or which parts it works without. */
  why: string | null
  /** Null where the API is not served, as by most roles. */
  health: HealthReport | null
  /** LIVE orders of the book; null: not known. */
  live: number | null
}

/** What the configuration names, and what answers at its address. Opens no store. */
export async function statusOf(config: Config): Promise<ServiceStatus> {
  const address = localAddress(config)
  const found = await probe(address)
  return {
    network: config.BITCOIN_NETWORK,
    role: config.ROLE,
    dataDir: config.DATA_DIR,
    hasStore: existsSync(storeDirectory(config)),
    stores: { log: logOf(config), views: viewsOf(config), history: historyOf(config, null) },
    node: usesDevnet(config)
      ? 'built-in devnet'
      : (config.BITCOIN_RPC_URL ?? 'not configured: set BITCOIN_RPC_URL'),
    address,
    ...found,
  }
}

type Probed = Pick<ServiceStatus, 'service' | 'why' | 'health' | 'live'>

async function probe(address: string): Promise<Probed> {
  const service = { address, signal: AbortSignal.timeout(PATIENCE_MS) }
  const found: Probed = { service: 'away', why: null, health: null, live: null }
  try {
    const { degraded } = await askService(service, { path: '/readyz', answer: ReadinessReport })
    found.service = 'ready'
    if (degraded.length > 0) found.why = `without ${degraded.join(', ')}`
  } catch (error) {
    if (error instanceof ServiceAwayError) return found
    if (!(error instanceof ServiceRefusedError)) throw error
    const isOurs = error.status === 503
    return { ...found, service: isOurs ? 'not_ready' : 'other', why: error.message }
  }
  const asked = <T>(answer: Promise<T>) => answer.catch(unlessRefused)
  found.health = await asked(
    askService(service, { path: '/api/market/health', answer: HealthReport }),
  )
  const page = await asked(
    askService(service, { path: '/api/market/orders?state=LIVE&limit=1', answer: OrderPage }),
  )
  found.live = page?.total ?? null
  return found
}

function unlessRefused(error: unknown): null {
  if (error instanceof ServiceRefusedError || error instanceof ServiceAwayError) return null
  throw error
}

/** What runs, a line each. */
export function statusLines(status: ServiceStatus): string[] {
  const { stores, health, live } = status
  const rows: [string, string][] = [
    ['network', status.network],
    ['full node', status.node],
    ['data', `${status.dataDir}${status.hasStore ? '' : ', nothing in it yet'}`],
    ['event log', stores.log],
    ['order views', stores.views],
    ['history', stores.history],
    ['service', `${status.address}, ${serviceText(status)}`],
    ...(health ? ([['health', healthText(health)]] as [string, string][]) : []),
    ...(live === null ? [] : ([['orders', `${live} LIVE`]] as [string, string][])),
  ]
  return rows.map(([name, text]) => `  ${name.padEnd(13)} ${text}`)
}

function serviceText({ service, why }: ServiceStatus): string {
  const because = why === null ? '' : `: ${why}`
  switch (service) {
    case 'ready':
      return `ready${because}`
    case 'not_ready':
      return `running, not ready${because}`
    case 'away':
      return 'not running'
    case 'other':
      return `something else listens there${because}`
  }
}

const healthText = ({ status, listingReadiness: { reason, coreHeight } }: HealthReport): string =>
  [status, reason, coreHeight === null ? null : `block ${coreHeight}`]
    .filter((part) => part !== null)
    .join(', ')

/** What to do next: a command, begun as `market` is here, or an address, and what it is for. */
export function nextSteps(
  { service, address, health }: ServiceStatus,
  market: string,
): [string, string][] {
  switch (service) {
    case 'away':
      return [
        [`${market} start`, 'run the service'],
        [`${market} doctor`, 'check what the configuration names'],
        [`${market} config`, 'print the settings in force'],
      ]
    case 'other':
      return [[`${market} start`, 'with another PORT']]
    case 'not_ready':
      return [[`${market} doctor`, 'say what is missing, and how to fix it']]
    case 'ready':
      return health
        ? [
            [`${address}/`, 'the console, in a browser'],
            [`${address}/docs`, 'the API'],
            [`${market} watch ORDER_ID`, 'follow an order until it is sold or closed'],
            [`${market} doctor`, 'check everything that the configuration names'],
          ]
        : [[`${market} doctor`, 'check everything that the configuration names']]
  }
}
