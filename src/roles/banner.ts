import { join } from 'node:path'
import type { Config } from '../schemas/config.ts'

export interface BannerFacts {
  config: Config
  address: string
  metricsAddress: string
  isDevnet: boolean
  historyFault: string | null
  /** An order to try the commands with. */
  orderId: string | null
}

/** What runs on what, where, and three commands to try. */
export function banner(facts: BannerFacts): string {
  const { config, address, metricsAddress, isDevnet, historyFault, orderId } = facts
  const { BITCOIN_NETWORK, BITCOIN_RPC_URL, ASSET_INDEX_URL, DATA_DIR, ORDER_PARTITIONS } = config
  const api = `${address}/api/market`
  const node = isDevnet
    ? `devnet, built in, kept in ${join(DATA_DIR, 'devnet')}`
    : (BITCOIN_RPC_URL ?? 'not configured: set BITCOIN_RPC_URL')
  const index = isDevnet
    ? 'devnet, built in'
    : (ASSET_INDEX_URL ?? 'not configured: set ASSET_INDEX_URL')
  const store = join(DATA_DIR, 'store')
  const historyFolder = join(DATA_DIR, 'history')
  const history = historyFault
    ? awayHistory(historyFault, historyFolder)
    : `chDB in ${historyFolder}`
  return `
market is ready on ${api}

  network       ${BITCOIN_NETWORK}
  full node     ${node}
  asset index   ${index}
  event log     lmdb in ${store}, ${ORDER_PARTITIONS} partitions
  order views   lmdb in ${store}
  history       ${history}
  metrics       ${metricsAddress}/metrics
  reference     ${address}/docs

Try:
  curl -s ${api}/health
  curl -s '${api}/orders?sort=price_asc&limit=3'
  curl -s -X POST ${api}/orders/${orderId ?? 'ORDER_ID'}/revalidate
${isDevnet ? PLAY : ''}
Stop with Ctrl-C; the next start goes on from what is kept. From here on, the log: a JSON line an entry.
`
}

/** The engine's own words may go on for lines. */
const SHOWN_FAULT = 120

const awayHistory = (fault: string, folder: string): string =>
  `away: ${(fault.split('\n')[0] ?? '').slice(0, SHOWN_FAULT)}
                all else works; if the folder is damaged, stop, remove ${folder}, start:
                it is filled again from the log`

const PLAY = `
Play with the chain, in another terminal:
  npm run market -- devnet mine | reorg | fund ADDRESS SATS | inscribe ADDRESS TEXT
`
