import { bareTransaction } from '../../domain/chain/bare-transaction.ts'
import {
  BlockUnavailableError,
  NodeUnavailableError,
} from '../../ports/authorities/authority-errors.ts'
import type { ChainPoint, IngestStore, StoredBlock } from '../../ports/log/ingest-store.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import type { FollowedNode } from '../ask-authority.ts'

export type ChainNews =
  | { type: 'connected'; block: StoredBlock }
  | { type: 'disconnected'; block: StoredBlock; parent: ChainPoint }
  /** The blocks up to `resumeAt` are no longer available from any source. */
  | { type: 'lost'; resumeAt: ChainPoint; detail: string }

export interface Followed {
  node: FollowedNode
  kept: Pick<IngestStore, 'block'>
  /** Yields the event loop during long work. */
  pace(): Promise<void>
}

/** If the chain moves more often than this in one call, the follower gives up and retries later. */
const MAX_ROUNDS = 16

/**
 * From a point to the tip of the node's best chain, one block at a time; each step continues the
 * previous one by hash, whatever the node does meanwhile.
 *
 * 1. Same tip: nothing.
 * 2. Our tip is not on the best chain: a reorg, undone newest first down to the fork. If the node's
 *    tip is itself the fork, the node has merely rolled back: an error, not a reorg.
 * 3. The tip is further on: a gap, everything between is fetched.
 * 4. The parent of the next block is our tip: a block.
 *
 * Given the `tip` the node has just named, a block on top of ours takes a single request.
 * Throws `NodeUnavailableError`.
 */
export async function* followChain(
  { node, kept, pace }: Followed,
  from: ChainPoint,
  tip?: BlockRef,
): AsyncGenerator<ChainNews, void> {
  if (tip?.height === from.height + 1) {
    const next = await available(node.block(tip.hash))
    if (next !== 'pruned' && next?.prevHash === from.hash)
      return yield { type: 'connected', block: await storedBlock(next, pace) }
  }
  let ours = from
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const fork = await findFork(node, kept, ours)
    if (fork.lost) return yield lost(await tipOf(node), fork.lost)
    for (const stale of fork.stale) {
      const block = await bodyOf(node, kept, stale.block, pace)
      if (block === null)
        return yield lost(await tipOf(node), `no source has the stale block ${stale.block.hash}`)
      yield { type: 'disconnected', block, parent: stale.parent }
      ours = stale.parent
    }
    for (;;) {
      const next = await nextBlock(node, ours)
      if (next === 'tip') return
      if (next === 'moved') break
      if (next === 'pruned')
        return yield lost(await tipOf(node), `the node has pruned block ${ours.height + 1}`)
      const block = await storedBlock(next, pace)
      yield { type: 'connected', block }
      ours = { height: block.height, hash: block.hash, prevHash: block.prevHash }
    }
  }
  throw new NodeUnavailableError(
    'node_unavailable',
    `the chain moved ${MAX_ROUNDS} times while it was read`,
  )
}

/** The tip of the best chain as a point to follow from. */
export async function tipOf(node: FollowedNode): Promise<ChainPoint> {
  const { tip } = await node.chain()
  const header = await node.header(tip.hash)
  if (header === null)
    throw new NodeUnavailableError(
      'node_unavailable',
      `the node has no header of its tip ${tip.hash}`,
    )
  return { height: header.height, hash: header.hash, prevHash: header.prevHash }
}

interface Fork {
  /** Newest first; each with its parent. */
  stale: { block: ChainPoint; parent: ChainPoint }[]
  lost?: string
}

async function findFork(
  node: FollowedNode,
  kept: Followed['kept'],
  ours: ChainPoint,
): Promise<Fork> {
  const stale: Fork['stale'] = []
  let block = ours
  while ((await node.blockHash(block.height)) !== block.hash) {
    const parent = await parentOf(node, kept, block)
    if (parent === null) return { stale: [], lost: `no source has the parent of ${block.hash}` }
    stale.push({ block, parent })
    block = parent
  }
  if (stale.length > 0 && (await node.chain()).tip.hash === block.hash)
    throw new NodeUnavailableError(
      'node_in_ibd',
      `the node went back from ${ours.height} to ${block.height} and has no other branch`,
    )
  return { stale }
}

async function parentOf(
  node: FollowedNode,
  kept: Followed['kept'],
  block: ChainPoint,
): Promise<ChainPoint | null> {
  if (block.prevHash === null) return null
  const ref: BlockRef = { height: block.height - 1, hash: block.prevHash }
  const known = (await kept.block(ref)) ?? (await node.header(ref.hash))
  return known && { ...ref, prevHash: known.prevHash }
}

/** The body of a stale block: our own copy, since another node may never have seen it. */
async function bodyOf(
  node: FollowedNode,
  kept: Followed['kept'],
  ref: BlockRef,
  pace: Followed['pace'],
): Promise<StoredBlock | null> {
  const own = await kept.block(ref)
  if (own !== null) return own
  const block = await available(node.block(ref.hash))
  return block === null || block === 'pruned' ? null : storedBlock(block, pace)
}

type FetchedBlock = NonNullable<Awaited<ReturnType<FollowedNode['block']>>>

async function nextBlock(
  node: FollowedNode,
  ours: ChainPoint,
): Promise<FetchedBlock | 'tip' | 'moved' | 'pruned'> {
  const hash = await node.blockHash(ours.height + 1)
  if (hash === null) return (await node.blockHash(ours.height)) === ours.hash ? 'tip' : 'moved'
  const block = await available(node.block(hash))
  if (block === 'pruned') return 'pruned'
  return block?.prevHash === ours.hash ? block : 'moved'
}

async function available<T>(asked: Promise<T>): Promise<T | 'pruned'> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof BlockUnavailableError) return 'pruned'
    throw error
  }
}

async function storedBlock(block: FetchedBlock, pace: Followed['pace']): Promise<StoredBlock> {
  const transactions = []
  for (const transaction of block.transactions) {
    transactions.push(bareTransaction(transaction))
    await pace()
  }
  const { height, hash, prevHash, time } = block
  return { height, hash, prevHash, time, transactions }
}

const lost = (resumeAt: ChainPoint, detail: string): ChainNews => ({
  type: 'lost',
  resumeAt,
  detail,
})
