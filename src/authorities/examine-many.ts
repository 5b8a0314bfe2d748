import type { AssetIndex, OutputContents } from '../ports/authorities/asset-index.ts'
import { IndexUnavailableError } from '../ports/authorities/authority-errors.ts'
import type { FullNode } from '../ports/authorities/full-node.ts'
import type { IndexTrouble } from '../schemas/evidence.ts'
import type { BlockRef, Outpoint } from '../schemas/scalars.ts'
import { onOneChain } from './ask-index.ts'

/** An output as the node knows it. */
export interface PlacedOutput {
  outpoint: Outpoint
  /** The height of its block; null while the output is unconfirmed or unknown. */
  height: number | null
}

export type Examinations =
  | { status: 'unavailable'; reason: IndexTrouble }
  | {
      status: 'ready'
      /** The index's own tip. */
      at: BlockRef
      /** In the order given; null: not reached or not known by the index, or not asked about. */
      contents: readonly (OutputContents | null)[]
    }

/**
 * What the index says about outputs that belong to no order, on the node's own chain. It is asked
 * only about outputs that it has reached: if one of many is unknown, ord has to be asked about each
 * alone. Throws `NodeUnavailableError`.
 */
export async function examineMany(
  node: Pick<FullNode, 'blockHash'>,
  index: AssetIndex | null,
  outputs: readonly PlacedOutput[],
): Promise<Examinations> {
  if (!index) return { status: 'unavailable', reason: 'asset_index_unconfigured' }
  try {
    const reachedTo = (await index.status()).tip?.height ?? -1
    const reached = outputs.filter(({ height }) => height !== null && height <= reachedTo)
    const said = await onOneChain(node, index, async () =>
      reached.length === 0 ? [] : await index.contents(reached.map(({ outpoint }) => outpoint)),
    )
    if ('reason' in said) return { status: 'unavailable', reason: said.reason }
    const found = new Map(reached.map((output, at) => [output, said.answer[at] ?? null]))
    const { height, hash } = said.at
    const contents = outputs.map((output) => found.get(output) ?? null)
    return { status: 'ready', at: { height, hash }, contents }
  } catch (error) {
    if (error instanceof IndexUnavailableError)
      return { status: 'unavailable', reason: error.reason }
    throw error
  }
}
