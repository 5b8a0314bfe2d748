import { join } from 'node:path'
import { openBitcoind } from '../../adapters/bitcoind/bitcoind.ts'
import { openBlockPool } from '../../adapters/embedded/threads/block-pool.ts'
import {
  openSignaturePool,
  type SignaturePool,
} from '../../adapters/embedded/threads/signature-pool.ts'
import { openOrdContent } from '../../adapters/ord/content.ts'
import { openOrd } from '../../adapters/ord/ord.ts'
import { type Devnet, openDevnet } from '../../devnet/devnet.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { ContentSource } from '../../ports/authorities/content-source.ts'
import type { BlockSource, FullNode } from '../../ports/authorities/full-node.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Lane } from '../../runtime/lanes.ts'
import { type Config, usesDevnet } from '../../schemas/config/config.ts'
import { contentUrl } from '../../schemas/config/content-variables.ts'
import { type ReadBlock, shareBlocks } from '../../streams/blocks/share-blocks.ts'
import type { Closer } from '../context/closer.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'
import type { Metrics } from '../observe/metrics.ts'
import { indexLoginAt } from './index-login.ts'

export interface OpenAuthorities {
  /** Null if none is configured. */
  node: FullNode | null
  /** The node, for services that fold whole blocks. */
  blocks: BlockSource | null
  /** Fetches and opens each block once for all folds; absent where blocks are small. */
  readBlock?: ReadBlock
  index: AssetIndex | null
  /** Absent: nothing of what is sold is shown. */
  contents?: ContentSource
  /** Both node and index, if this process simulates them. */
  devnet: Devnet | null
  /** Node and index in another lane; absent if all lanes share one, as on the devnet. */
  inLane?: (lane: Lane) => NodeAndIndex
  /** Node and index on separate connections: load caused by clients never delays the news. */
  ofIngest?: NodeAndIndex
}

type NodeAndIndex = Pick<OpenAuthorities, 'node' | 'index'>

/** The node and the index in a lane, if they have lanes. */
export const inLane = (authorities: OpenAuthorities, lane: Lane): NodeAndIndex =>
  authorities.inLane?.(lane) ?? authorities

/** The node and the index that the configuration names. Opening sends no request. */
export function openAuthorities(
  config: Config,
  clock: Clock,
  closer: Closer,
  metrics?: Metrics,
): OpenAuthorities {
  if (usesDevnet(config)) {
    const dataDir = join(config.DATA_DIR, 'devnet')
    // Who plays with reorgs cannot repair an index as an operator of ord does.
    const indexSavepoints = 'all' as const
    const devnet = openDevnet({ dataDir, clock, network: 'regtest', indexSavepoints })
    closer.add(() => devnet.close())
    const { node, index } = devnet
    const isOwn = config.ASSET_CONTENT_URL === undefined
    const contents = isOwn ? index : openContents(config, closer, metrics)
    return { node, blocks: node, index, ...(contents && { contents }), devnet }
  }
  const openOwnNode = (url: string) => {
    const node = openNode(config, url, clock, () => metrics?.nodeRequests.inc())
    closer.add(() => node.close())
    return node
  }
  const openOwnIndex = (url: string) => {
    const login = indexLoginAt(config, url)
    const index = openOrd({
      url,
      ...(login && { login }),
      onRequest: () => metrics?.indexRequests.inc(),
    })
    closer.add(() => index.close())
    return index
  }
  const { BITCOIN_RPC_URL: nodeUrl, ASSET_INDEX_URL: indexUrl } = config
  const node = nodeUrl ? openOwnNode(nodeUrl) : null
  const index = indexUrl ? openOwnIndex(indexUrl) : null
  const contents = openContents(config, closer, metrics)
  // Connections and threads are created lazily: a role without folds has none.
  const blocks = nodeUrl ? openOwnNode(nodeUrl) : null
  return {
    node,
    blocks,
    ...(blocks && { readBlock: openBlockReader(blocks, closer) }),
    index,
    ...(contents && { contents }),
    devnet: null,
    inLane: (lane) => ({ node: node?.inLane(lane) ?? null, index: index?.inLane(lane) ?? null }),
    ofIngest: {
      node: nodeUrl ? openOwnNode(nodeUrl) : null,
      index: indexUrl ? openOwnIndex(indexUrl) : null,
    },
  }
}

function openContents(config: Config, closer: Closer, metrics?: Metrics): ContentSource | null {
  const url = contentUrl(config)
  if (url === null) return null
  const login = indexLoginAt(config, url)
  const contents = openOrdContent({
    url,
    ...(login && { login }),
    onRequest: () => metrics?.indexRequests.inc(),
  })
  closer.add(() => contents.close())
  return contents
}

/**
 * Milliseconds between two questions whether node and index are there: other parts ask them all the
 * time, and a failure there has them asked at once.
 */
const ASK_AUTHORITIES_MS = 5_000

/** Reports when node or index go away, and when they are back; a simulated one does neither. */
export function watchAuthorities(
  { outages }: Pick<RuntimeContext, 'outages'>,
  { node, index, devnet }: OpenAuthorities,
): void {
  if (devnet) return
  if (node) outages.watch('node', () => node.chain(), ASK_AUTHORITIES_MS)
  if (index) outages.watch('index', () => index.status(), ASK_AUTHORITIES_MS)
}

function openBlockReader(source: BlockSource, closer: Closer): ReadBlock {
  const opener = openBlockPool()
  closer.add(() => opener.close())
  return shareBlocks(source, opener)
}

/**
 * Less than an import's wait for a verdict: a hanging node then counts as unavailable in its
 * answer.
 */
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

/** The threads of the configuration, closed with the process. */
export function openSignatures({
  config,
  closer,
}: Pick<RuntimeContext, 'config' | 'closer'>): SignaturePool {
  const signatures = openSignaturePool({ threads: config.SIGNATURE_THREADS })
  closer.add(() => signatures.close())
  return signatures
}
