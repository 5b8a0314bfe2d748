import type { AssetIndex, IndexStatus } from '../ports/asset-index.ts'
import { IndexUnavailable, NodeUnavailable } from '../ports/authority-errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { ChainStatus, FullNode } from '../ports/full-node.ts'
import type { IndexTrouble, NodeTrouble } from '../schemas/evidence.ts'
import { within } from './within.ts'

/** What of a node it takes to follow its chain and its mempool. */
export type FollowedNode = Pick<
  FullNode,
  'chain' | 'blockHash' | 'header' | 'block' | 'mempool' | 'mempoolTransactions' | 'changes'
>

/** What of an index it takes to follow it. */
export type FollowedIndex = Pick<AssetIndex, 'status'>

export type NodeAnswer =
  | { status: 'ready'; chain: ChainStatus }
  | { status: 'unavailable'; reason: NodeTrouble; detail: string }

export type IndexAnswer =
  | { status: 'ready'; at: IndexStatus }
  | { status: 'unavailable'; reason: IndexTrouble; detail: string }

/**
 * The node's chain, when it can be relied on. Throws `NodeUnavailable` in initial block download
 * and while the mempool is being loaded: its answers are then true of an older chain or of an
 * emptier mempool than those that it stands for.
 */
export async function readyChain(node: Pick<FullNode, 'chain'>): Promise<ChainStatus> {
  const chain = await node.chain()
  if (chain.initialBlockDownload)
    throw new NodeUnavailable('node_in_ibd', 'the node is in initial block download')
  if (!chain.mempoolLoaded)
    throw new NodeUnavailable('node_mempool_loading', 'the node is still loading its mempool')
  return chain
}

/** Never throws for a node that is away, and never takes longer than `timeoutMs`. */
export async function askNode(
  node: Pick<FullNode, 'chain'> | null,
  clock: Clock,
  timeoutMs: number,
): Promise<NodeAnswer> {
  if (node === null) return unavailable('node_unconfigured', 'no full node is configured')
  try {
    const chain = await within(clock, timeoutMs, readyChain(node))
    return chain === 'late'
      ? unavailable('node_unavailable', `no answer within ${timeoutMs} ms`)
      : { status: 'ready', chain }
  } catch (error) {
    if (error instanceof NodeUnavailable) return unavailable(error.reason, error.message)
    throw error
  }
}

/** Never throws for an index that is away, and never takes longer than `timeoutMs`. */
export async function askIndex(
  index: FollowedIndex | null,
  clock: Clock,
  timeoutMs: number,
): Promise<IndexAnswer> {
  if (index === null) return unavailable('asset_index_unconfigured', 'no asset index is configured')
  try {
    const at = await within(clock, timeoutMs, index.status())
    return at === 'late'
      ? unavailable('asset_index_unreachable', `no answer within ${timeoutMs} ms`)
      : { status: 'ready', at }
  } catch (error) {
    if (error instanceof IndexUnavailable) return unavailable(error.reason, error.message)
    throw error
  }
}

const unavailable = <R>(reason: R, detail: string) => ({
  status: 'unavailable' as const,
  reason,
  detail,
})
