import type { AssetIndex, IndexStatus } from '../ports/asset-index.ts'
import { IndexUnavailable } from '../ports/authority-errors.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { IndexEvidence, IndexTrouble } from '../schemas/evidence.ts'
import type { Outpoint } from '../schemas/scalars.ts'

const away = (reason: IndexTrouble): IndexEvidence => ({ status: 'unavailable', reason })

/**
 * Asks the index about one output and checks that node and index follow one chain: the index's own
 * block hash is the node's at that height, before and after the answer. Mere lag is allowed here;
 * whether the index has reached the output is for the verdict. Throws `NodeUnavailable`.
 */
export async function askIndex(
  node: FullNode,
  index: AssetIndex,
  outpoint: Outpoint,
): Promise<IndexEvidence> {
  try {
    const before = await oneChain(node, await index.status())
    if (typeof before === 'string') return away(before)
    const answer = await index.output(outpoint)
    const after = await oneChain(node, await index.status())
    if (typeof after === 'string') return away(after)
    if (after.version !== before.version) return away('asset_index_behind')
    const inscriptions = answer ? answer.inscriptions : []
    return {
      status: 'ready',
      at: before,
      indexed: answer?.indexed ?? false,
      inscriptions: inscriptions && [...inscriptions],
      runes: answer?.runes ? [...answer.runes] : null,
    }
  } catch (error) {
    if (error instanceof IndexUnavailable) return away(error.reason)
    throw error
  }
}

async function oneChain(node: FullNode, { tip, version, unrecoverablyReorged }: IndexStatus) {
  if (unrecoverablyReorged) return 'asset_index_reorged' as const
  if (!tip) return 'asset_index_behind' as const
  const canonical = await node.blockHash(tip.height)
  return canonical === tip.hash ? { ...tip, version } : ('asset_index_behind' as const)
}
