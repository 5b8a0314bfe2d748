import { join } from 'node:path'
import { openBitcoind } from '../adapters/bitcoind/bitcoind.ts'
import { type Devnet, openDevnet } from '../adapters/devnet/devnet.ts'
import { openOrd } from '../adapters/ord/ord.ts'
import type { AssetIndex } from '../ports/asset-index.ts'
import type { Clock } from '../ports/clock.ts'
import type { BlockSource, FullNode } from '../ports/full-node.ts'
import { type Config, usesDevnet } from '../schemas/config.ts'
import type { Closer } from './closer.ts'
import type { Metrics } from './metrics.ts'

export interface OpenAuthorities {
  /** Null: none is configured. */
  node: FullNode | null
  /** The same node, for those who fold whole blocks. */
  blocks: BlockSource | null
  index: AssetIndex | null
  /** The node and the index at once, where this process plays them. */
  devnet: Devnet | null
}

/** The node and the index that the configuration names. Opening asks them nothing. */
export function openAuthorities(
  config: Config,
  clock: Clock,
  closer: Closer,
  metrics?: Metrics,
): OpenAuthorities {
  if (usesDevnet(config)) {
    const dataDir = join(config.DATA_DIR, 'devnet')
    const devnet = openDevnet({ dataDir, clock, network: 'regtest' })
    closer.add(() => devnet.close())
    return { node: devnet.node, blocks: devnet.node, index: devnet.index, devnet }
  }
  const node = config.BITCOIN_RPC_URL
    ? openNode(config, config.BITCOIN_RPC_URL, clock, () => metrics?.nodeRequests.inc())
    : null
  if (node) closer.add(() => node.close())
  const index = config.ASSET_INDEX_URL
    ? openOrd({ url: config.ASSET_INDEX_URL, onRequest: () => metrics?.indexRequests.inc() })
    : null
  if (index) closer.add(() => index.close())
  return { node, blocks: node, index, devnet: null }
}

/** Less than an import waits for its verdict: a node that hangs is away, and the answer says so. */
const NODE_TIMEOUT_MS = 10_000

function openNode(config: Config, url: string, clock: Clock, onRequest: () => void) {
  const { BITCOIN_RPC_COOKIE_FILE, BITCOIN_RPC_USER, BITCOIN_RPC_PASSWORD } = config
  return openBitcoind({
    url,
    credentials: BITCOIN_RPC_COOKIE_FILE
      ? { cookieFile: BITCOIN_RPC_COOKIE_FILE }
      : { user: BITCOIN_RPC_USER ?? '', password: BITCOIN_RPC_PASSWORD ?? '' },
    network: config.BITCOIN_NETWORK,
    zmqUrls: config.BITCOIN_ZMQ_URL ?? [],
    mempoolPollMs: config.MEMPOOL_POLL_MS,
    timeoutMs: NODE_TIMEOUT_MS,
    clock,
    onRequest,
  })
}
