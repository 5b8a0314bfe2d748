import type { AssetIndex, IndexStatus } from '../ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../ports/authorities/authority-errors.ts'
import type { ChainStatus, FullNode } from '../ports/authorities/full-node.ts'
import type { Clock } from '../runtime/clock.ts'
import { withTimeout } from '../runtime/deadline.ts'
import type { IndexTrouble, NodeTrouble } from '../schemas/evidence.ts'

/** The part of FullNode needed to follow its chain and mempool. */
export type FollowedNode = Pick<
  FullNode,
  'chain' | 'blockHash' | 'header' | 'block' | 'mempool' | 'mempoolTransactions' | 'changes'
>

/** The part of AssetIndex the follower needs. */
export type FollowedIndex = Pick<AssetIndex, 'status' | 'contents' | 'output'>

export type NodeProbe =
  | { status: 'ready'; chain: ChainStatus }
  | { status: 'unavailable'; reason: NodeTrouble; detail: string }

export type IndexProbe =
  | { status: 'ready'; at: IndexStatus }
  | { status: 'unavailable'; reason: IndexTrouble; detail: string }

/**
 * The node's chain status, once it can be relied on. Throws `NodeUnavailableError` in initial block
 * download and while the mempool is loading: its answers then describe an older chain or an emptier
 * mempool than the real one.
 */
export async function readyChain(node: Pick<FullNode, 'chain'>): Promise<ChainStatus> {
  const chain = await node.chain()
  if (chain.initialBlockDownload)
    throw new NodeUnavailableError(
      'node_in_ibd',
      'the node is in initial block download, or behind the chain',
    )
  if (!chain.mempoolLoaded)
    throw new NodeUnavailableError('node_mempool_loading', 'the node is still loading its mempool')
  return chain
}

/** Does not throw when the node is unavailable, and never takes longer than `timeoutMs`. */
export async function probeNode(
  node: Pick<FullNode, 'chain'> | null,
  clock: Clock,
  timeoutMs: number,
): Promise<NodeProbe> {
  if (node === null) return unavailable('node_unconfigured', 'no full node is configured')
  try {
    const chain = await withTimeout(clock, timeoutMs, readyChain(node))
    return chain === 'late'
      ? unavailable('node_unavailable', `no answer within ${timeoutMs} ms`)
      : { status: 'ready', chain }
  } catch (error) {
    if (error instanceof NodeUnavailableError) return unavailable(error.reason, error.message)
    throw error
  }
}

/** Does not throw when the index is unavailable, and never takes longer than `timeoutMs`. */
export async function probeIndex(
  index: Pick<AssetIndex, 'status'> | null,
  clock: Clock,
  timeoutMs: number,
): Promise<IndexProbe> {
  if (index === null) return unavailable('asset_index_unconfigured', 'no asset index is configured')
  try {
    const at = await withTimeout(clock, timeoutMs, index.status())
    return at === 'late'
      ? unavailable('asset_index_unreachable', `no answer within ${timeoutMs} ms`)
      : { status: 'ready', at }
  } catch (error) {
    if (error instanceof IndexUnavailableError) return unavailable(error.reason, error.message)
    throw error
  }
}

const unavailable = <R>(reason: R, detail: string) => ({
  status: 'unavailable' as const,
  reason,
  detail,
})
