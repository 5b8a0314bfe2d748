import { IndexUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { IndexPlace, IndexPoint } from '../../ports/log/ingest-store.ts'
import type { IndexFeedRecord, Watermark } from '../../schemas/log.ts'
import type { BlockRef } from '../../schemas/scalars.ts'
import type { FollowedNode, IndexProbe } from '../ask-authority.ts'
import type { IndexSample } from './index-sample.ts'
import type { Lost } from './pending-loss.ts'

/** Where the index is relative to the node's chain, and what a watermark may say about it. */
export interface IndexVerdict {
  status: Watermark['indexStatus']
  /** Node and index follow one chain; this holds for an index that merely lags. */
  covers: boolean
  at: IndexPoint | null
}

export interface IndexNews {
  verdict: IndexVerdict
  /** Its position, by which its next answer is judged; null: as before, unless unconfigured. */
  place: IndexPlace | null
  /** What to publish on `index.updates`; null: nothing changed. */
  feed: Pick<IndexFeedRecord, 'kind' | 'at'> | null
  /** The assets of these outputs may differ from what the index reported before. */
  lost: Lost | null
}

/**
 * 1. No index is configured: covered by the node alone. Its position is forgotten: what is verified
 *    from then on was not examined.
 * 2. No usable answer, or none yet: not covered.
 * 3. It cannot recover from a reorg by itself: not covered until it is rebuilt.
 * 4. Its block is not the node's at that height: not on one chain, wait until it has rolled back;
 *    an order's own question calls that `behind` too.
 * 5. The first answer: what was LIVE before it was not examined. Another version: nothing it reported
 *    before counts, unless it is the same index, further on the same chain, that says the same of a
 *    sample: then another program serves it (ADR 62).
 * 6. Its former block left the node's chain: outputs made above the fork may differ.
 * 7. It advanced, went back on the same chain (a savepoint restored), or did not move.
 *
 * `before` is its last position on the node's chain. Throws `NodeUnavailableError`.
 */
export async function judgeIndex(
  node: FollowedNode,
  answer: IndexProbe,
  before: IndexPlace | null,
  tip: BlockRef,
  sample: IndexSample,
): Promise<IndexNews> {
  if (answer.status === 'unavailable') return silent(statusOf(answer.reason), null)
  const { tip: indexTip, version, build, unrecoverablyReorged } = answer.at
  if (indexTip === null) return silent('behind', null)
  const at: IndexPoint = { height: indexTip.height, hash: indexTip.hash, version }
  const place: IndexPlace = { ...at, build }
  if (unrecoverablyReorged)
    return { ...silent('reorged', null), feed: { kind: 'reorged-beyond-recovery', at } }
  const isOnChain = at.hash === tip.hash || (await node.blockHash(at.height)) === at.hash
  if (!isOnChain) return silent('behind', null)

  const verdict: IndexVerdict = {
    status: at.height < tip.height ? 'behind' : 'ready',
    covers: true,
    at,
  }
  if (before === null) return { verdict, place, feed: { kind: 'advanced', at }, lost: 'all' }
  if (before.version !== version) {
    const isSame = await isSameIndex(node, { before, place, sample })
    if (isSame === 'unsaid') return silent('unreachable', null)
    return isSame
      ? { verdict, place, feed: { kind: 'upgraded', at }, lost: null }
      : { verdict, place, feed: { kind: 'rebuilt', at }, lost: 'all' }
  }
  if (before.hash === at.hash) return { verdict, place, feed: null, lost: null }
  const lost = await lostAbove(node, before)
  const back = lost !== null || at.height < before.height
  return { verdict, place, feed: { kind: back ? 'rolled-back' : 'advanced', at }, lost }
}

interface Other {
  before: IndexPlace
  place: IndexPlace
  sample: IndexSample
}

/** `unsaid`: the index gave no answer, and is judged by its next one. */
async function isSameIndex(
  node: FollowedNode,
  { before, place, sample }: Other,
): Promise<boolean | 'unsaid'> {
  const isFurther = before.build === place.build && place.height >= before.height
  if (!isFurther || (await lostAbove(node, before)) !== null) return false
  try {
    return await sample(before, place)
  } catch (error) {
    if (error instanceof IndexUnavailableError) return 'unsaid'
    throw error
  }
}

const silent = (status: IndexVerdict['status'], at: IndexPoint | null): IndexNews => ({
  verdict: { status, covers: status === 'unconfigured', at },
  place: null,
  feed: null,
  lost: null,
})

function statusOf(reason: Extract<IndexProbe, { status: 'unavailable' }>['reason']) {
  if (reason === 'asset_index_unconfigured') return 'unconfigured'
  if (reason === 'asset_index_behind') return 'behind'
  return reason === 'asset_index_reorged' ? 'reorged' : 'unreachable'
}

/** Null while the block is on the node's best chain; else everything above the fork. */
async function lostAbove(node: FollowedNode, ref: BlockRef): Promise<Lost | null> {
  let header = await node.header(ref.hash)
  if (header?.onBestChain) return null
  while (header !== null && !header.onBestChain)
    header = header.prevHash === null ? null : await node.header(header.prevHash)
  // A block that the node never saw: the index followed another node, its fork is unknown.
  return header === null ? 'all' : { aboveHeight: header.height }
}
