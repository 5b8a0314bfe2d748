import type { AssetIndex, IndexStatus, OutputContents } from '../ports/asset-index.ts'
import { IndexUnavailable } from '../ports/authority-errors.ts'
import type { FullNode } from '../ports/full-node.ts'
import type { IndexTrouble, InscriptionAt } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'

export type Examination =
  | { status: 'unavailable'; reason: IndexTrouble }
  | {
      status: 'ready'
      /** The index's own tip. */
      at: BlockRef & { version: string }
      /** In the order asked; null for an output unknown to the index. */
      contents: readonly (OutputContents | null)[]
      /** Inscriptions and their offsets in the offered output; null if the index does not say. */
      places: readonly InscriptionAt[] | null
    }

const away = (reason: IndexTrouble): Examination => ({ status: 'unavailable', reason })

/**
 * Asks the index about outputs, and for positions within the offered one, ensuring that node and
 * index are on one chain: the index's own block hash is the node's at that height, before and after
 * the answer. Mere lag is allowed here; whether the index has reached an output is for the caller
 * to check. Throws `NodeUnavailable`.
 */
export async function examineOutputs(
  node: FullNode,
  index: AssetIndex,
  outpoints: readonly Outpoint[],
  offered: Outpoint,
): Promise<Examination> {
  try {
    const before = await oneChain(node, await index.status())
    if (typeof before === 'string') return away(before)
    const contents = await index.contents(outpoints)
    const found = await index.output(offered)
    const after = await oneChain(node, await index.status())
    if (typeof after === 'string') return away(after)
    if (after.version !== before.version) return away('asset_index_behind')
    return { status: 'ready', at: before, contents, places: found?.inscriptions ?? null }
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
