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
export function banner({
  config,
  address,
  metricsAddress,
  isDevnet,
  historyFault,
  orderId,
}: BannerFacts): string {
  const api = `${address}/api/market`
  const node = isDevnet
    ? 'devnet (built in, regtest only)'
    : (config.BITCOIN_RPC_URL ?? 'not configured')
  const index = isDevnet ? 'devnet' : (config.ASSET_INDEX_URL ?? 'not configured')
  const history = historyFault ? `away: ${historyFault}` : `chDB in ${config.DATA_DIR}`
  const order = orderId ?? '<order id>'
  return `
market is ready on ${api}

  network       ${config.BITCOIN_NETWORK}
  full node     ${node}
  asset index   ${index}
  event log     lmdb in ${config.DATA_DIR}, ${config.ORDER_PARTITIONS} partitions
  order views   lmdb, the same database
  history       ${history}
  metrics       ${metricsAddress}/metrics

Try:
  curl -s ${api}/health
  curl -s '${api}/orders?sort=price_asc&limit=3'
  curl -s -X POST ${api}/orders/${order}/revalidate
${isDevnet ? '\nPlay with the chain:  npm run market -- devnet mine | reorg | fund ADDRESS SATS | inscribe ADDRESS TEXT\n' : ''}`
}
