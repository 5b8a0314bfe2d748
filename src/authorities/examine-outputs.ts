import type { AssetIndex, OutputContents } from '../ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { IndexTrouble, InscriptionAt } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'
import { onOneChain } from './ask-index.ts'

export type Examination =
  | { status: 'unavailable'; reason: IndexTrouble }
  | {
      status: 'ready'
      /** The index's own tip. */
      at: BlockRef & { version: string }
      /** In the order given; null for an output unknown to the index. */
      contents: readonly (OutputContents | null)[]
      /** Inscriptions and their offsets in the offered output; null if the index does not say. */
      places: readonly InscriptionAt[] | null
    }

/**
 * Asks the index about outputs, and for positions within the offered one, ensuring that node and
 * index are on one chain: the index's own block hash is the node's at that height, before and after
 * the answer. Mere lag is allowed here; whether the index has reached an output is for the caller
 * to check. Throws `NodeUnavailableError`.
 */
export async function examineOutputs(
  node: FullNode,
  index: AssetIndex,
  outpoints: readonly Outpoint[],
  offered: Outpoint,
): Promise<Examination> {
  try {
    const said = await onOneChain(node, index, async () => {
      const contents = await index.contents(outpoints)
      const found = await index.output(offered)
      return { contents, places: found?.inscriptions ?? null }
    })
    if ('reason' in said) return { status: 'unavailable', reason: said.reason }
    return { status: 'ready', at: said.at, ...said.answer }
  } catch (error) {
    if (error instanceof IndexUnavailableError)
      return { status: 'unavailable', reason: error.reason }
    throw error
  }
}
