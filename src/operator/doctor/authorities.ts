import { systemClock } from '../../adapters/embedded/system-clock.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../ports/authorities/authority-errors.ts'
import type { ChainStatus } from '../../ports/authorities/full-node.ts'
import { Closer } from '../../roles/context/closer.ts'
import { openAuthorities } from '../../roles/open/authorities.ts'
import { type Config, usesDevnet, type Variables } from '../../schemas/config/config.ts'
import type { IndexTrouble, NodeTrouble } from '../../schemas/evidence.ts'
import type { BlockHash } from '../../schemas/scalars.ts'
import {
  type Check,
  clockFinding,
  type Finding,
  fail,
  NODE_VARIABLES,
  ok,
  variablesOf,
  warn,
} from './finding.ts'

const ASKED_MS = 3_000
/** HTTP dates have a resolution of one second. */
const DATE_MS = 1_000

/** The full node and the asset index. The service itself simulates the devnet. */
export function authorityChecks(config: Config): Check[] {
  if (usesDevnet(config)) return []
  const { BITCOIN_RPC_URL: node, ASSET_INDEX_URL: index } = config
  return [
    node
      ? {
          name: 'node',
          needs: NODE_VARIABLES,
          cure: `start the node at ${node}, or set BITCOIN_RPC_URL to its address`,
          look: () => nodeFindings(config, node),
        }
      : unconfigured(
          'node',
          'no full node is configured: orders are not verified',
          'BITCOIN_RPC_URL',
        ),
    index
      ? {
          name: 'index',
          needs: [...NODE_VARIABLES, ...variablesOf('ASSET_INDEX_')],
          cure: `start the ord server at ${index}, or set ASSET_INDEX_URL to its address`,
          look: () => indexFindings(config, index),
        }
      : unconfigured(
          'index',
          'no asset index is configured: orders with assets cannot become LIVE',
          'ASSET_INDEX_URL',
        ),
  ]
}

const unconfigured = (name: string, what: string, variable: keyof Variables): Check => ({
  name,
  needs: [variable],
  cure: '',
  look: async () => [warn(what, `set ${variable}`)],
})

async function nodeFindings(config: Config, url: string): Promise<Finding[]> {
  try {
    await using closer = new Closer()
    const { node } = openAuthorities(config, systemClock, closer)
    if (!node) return []
    const chain = await node.chain()
    return [...chainFindings(chain), ...(await dateFinding('the node', url))]
  } catch (error) {
    if (!(error instanceof NodeUnavailableError)) throw error
    return [fail(error.message, nodeCure(error.reason, config, url))]
  }
}

function chainFindings(chain: ChainStatus): Finding[] {
  const { network, tip, version, initialBlockDownload, mempoolLoaded, prunedBelow } = chain
  const findings = [ok(`${version} on ${network}, block ${tip.height} ${tip.hash}`)]
  if (initialBlockDownload) {
    const last = new Date(tip.time * 1_000).toISOString()
    findings.push(
      warn(
        `the node is in its initial block download, or behind the chain: its last block is of ${last}`,
        'wait until it is synced; if no blocks come, see whether it has peers (getpeerinfo)',
      ),
    )
  }
  if (!mempoolLoaded) {
    findings.push(warn('the node is still loading its mempool', 'wait until it is loaded'))
  }
  if (prunedBelow > 0) {
    findings.push(
      warn(
        `the node has pruned the blocks below ${prunedBelow}`,
        'run it with prune=0 if orders of older outputs matter',
      ),
    )
  }
  return findings
}

function nodeCure(reason: NodeTrouble, { BITCOIN_NETWORK }: Config, url: string): string {
  switch (reason) {
    case 'node_wrong_network':
      return `set BITCOIN_NETWORK to the node's network, or BITCOIN_RPC_URL to a node on ${BITCOIN_NETWORK}`
    case 'node_unauthorized':
      return 'set BITCOIN_RPC_COOKIE_FILE, or BITCOIN_RPC_USER and BITCOIN_RPC_PASSWORD, to match the node'
    case 'node_warming_up':
    case 'node_mempool_loading':
      return 'wait until the node has started'
    default:
      return `start the node at ${url}, or set BITCOIN_RPC_URL to its address`
  }
}

async function indexFindings(config: Config, url: string): Promise<Finding[]> {
  try {
    await using closer = new Closer()
    const { node, index } = openAuthorities(config, systemClock, closer)
    if (!index) return []
    const status = await index.status()
    const runes = status.runes ? 'with runes' : 'without runes'
    const findings = [ok(`${status.version}, block ${status.tip?.height ?? 'none'}, ${runes}`)]
    if (status.unrecoverablyReorged) {
      findings.push(
        fail(
          'a reorg was deeper than the index can undo',
          'stop ord, delete its index.redb and start it again: it rebuilds the index',
        ),
      )
    }
    const chain = await node?.chain().catch(() => null)
    if (node && chain && status.tip) {
      const onChain = await node.blockHash(status.tip.height)
      findings.push(sameChain(config, status.tip, { height: chain.tip.height, onChain }))
    }
    return [...findings, ...(await dateFinding('the index', url))]
  } catch (error) {
    if (!(error instanceof IndexUnavailableError)) throw error
    return [fail(error.message, indexCure(error.reason, url))]
  }
}

function sameChain(
  { MAX_LAG_BLOCKS, BITCOIN_NETWORK }: Config,
  tip: { height: number; hash: BlockHash },
  { height, onChain }: { height: number; onChain: string | null },
): Finding {
  const behind = height - tip.height
  if (onChain !== null && onChain !== tip.hash) {
    return fail(
      `at height ${tip.height} the index has block ${tip.hash}, and the node ${onChain}: another chain, or a reorg in progress`,
      `check again in a minute; if it persists, connect ord to this node on ${BITCOIN_NETWORK}`,
    )
  }
  if (onChain === null || behind < 0) {
    return warn(
      `the index is at block ${tip.height}, and the node at ${height}`,
      'wait until the node is synced, or connect ord to this node',
    )
  }
  return behind > MAX_LAG_BLOCKS
    ? warn(
        `the index is ${behind} blocks behind the node`,
        'check that ord is running and can reach its node',
      )
    : ok(`the index is on the node's chain, ${behind} blocks behind`)
}

const indexCure = (reason: IndexTrouble, url: string): string =>
  reason === 'asset_index_unreachable'
    ? `start the ord server at ${url}, or set ASSET_INDEX_URL to its address`
    : 'wait until the index has caught up, or check its log'

/** The Date header of any HTTP answer, whatever its status: the clock of that machine. */
async function dateFinding(whose: string, url: string): Promise<Finding[]> {
  const asked = Date.now()
  const answer = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(ASKED_MS),
  }).catch(() => null)
  await answer?.body?.cancel()
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) return []
  // The date is truncated to the second.
  const aheadMs = date + DATE_MS / 2 - (asked + Date.now()) / 2
  return [clockFinding(whose, aheadMs, DATE_MS)]
}
