import { examineOutputs } from '../../authorities/examine-outputs.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import type { OutputContents } from '../../ports/authorities/asset-index.ts'
import { NodeUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../../ports/authorities/full-node.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import type { BlockRef, Outpoint, TxOut } from '../../schemas/scalars.ts'
import { RefusalError } from '../refusal.ts'
import type { SaleAuthorities } from './order-for-sale.ts'

/** What node and index say about outputs, on one chain. */
export interface NamedOutputs {
  /** In the order given. */
  outputs: NamedOutput[]
  /** The inscriptions' places in the offered output; null if the index does not give them. */
  places: readonly InscriptionAt[] | null
  indexAt: BlockRef
}

export interface NamedOutput {
  outpoint: Outpoint
  answer: OutputAnswer
  /** The height of its block; null while the output is unconfirmed or unknown. */
  height: number | null
  /** Null if the index does not have the output, or has not reached or examined it. */
  assets: OutputContents | null
  /** The transaction of the mempool that spends it. */
  mempoolSpender: string | null
}

/** What the node alone says about an output: one that fails here costs no question to the index. */
export type OutputOfNode = Omit<NamedOutput, 'assets'>

/** In the order asked. Throws `NodeUnavailableError`. */
export async function readOutputs(
  node: FullNode,
  outpoints: readonly Outpoint[],
): Promise<OutputOfNode[]> {
  const answers = await node.outputs(outpoints)
  const spenders = await node.mempoolSpenders(outpoints)
  const heightOf = heightsBy(node)
  const outputs: OutputOfNode[] = []
  for (const [at, outpoint] of outpoints.entries()) {
    const answer = answers[at] ?? { status: 'absent' as const }
    const height = await heightOf(answer)
    outputs.push({ outpoint, answer, height, mempoolSpender: spenders[at] ?? null })
  }
  return outputs
}

/**
 * Adds what the index says about outputs, the offered one among them.
 *
 * @throws RefusalError ASSET_INDEX_UNAVAILABLE; NodeUnavailableError
 */
export async function examineNamed(
  { node, index }: SaleAuthorities,
  known: readonly OutputOfNode[],
  offered: Outpoint,
): Promise<NamedOutputs> {
  const outpoints = known.map(({ outpoint }) => outpoint)
  const examined = await examineOutputs(node, index, outpoints, offered)
  if (examined.status === 'unavailable') {
    const reason = `the index gives no answer: ${examined.reason}`
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', reason)
  }
  const { contents, places } = examined
  const { height: indexHeight, hash } = examined.at
  const outputs = known.map((output, at): NamedOutput => {
    const assets = contents[at] ?? null
    const isReached = output.height !== null && output.height <= indexHeight
    return { ...output, assets: assets?.indexed && isReached ? assets : null }
  })
  return { outputs, places, indexAt: { height: indexHeight, hash } }
}

/** What is wrong with the assets of an output that should hold none; null: known to be empty. */
export function assetTrouble(named: NamedOutput): { code: AssetTrouble; detail: string } | null {
  const text = outpointText(named.outpoint)
  const { assets, height } = named
  if (height === null) return { code: 'input_unconfirmed', detail: `${text} is unconfirmed` }
  if (!assets) {
    return { code: 'input_not_indexed', detail: `${text} is not examined by the index yet` }
  }
  const [inscription] = assets.inscriptionIds
  if (inscription !== undefined) {
    const detail = `${text} holds the inscription ${inscription}`
    return { code: 'input_holds_inscription', detail }
  }
  const [rune] = assets.runes ?? []
  return rune ? { code: 'input_holds_runes', detail: `${text} holds the rune ${rune.name}` } : null
}

type AssetTrouble =
  | 'input_unconfirmed'
  | 'input_not_indexed'
  | 'input_holds_inscription'
  | 'input_holds_runes'

/** The value and script of an output that exists on the chain; null otherwise. */
export const outputOf = ({ answer }: Pick<NamedOutput, 'answer'>): TxOut | null =>
  answer.status === 'absent' ? null : answer.output

/** The node counts from its best block, which is usually the same for all answers. */
function heightsBy(node: FullNode): (answer: OutputAnswer) => Promise<number | null> {
  const known = new Map<string, number>()
  return async (answer) => {
    if (answer.status === 'absent' || answer.confirmations === 0) return null
    const { bestBlock, confirmations } = answer
    const best = known.get(bestBlock) ?? (await node.header(bestBlock))?.height
    if (best === undefined) {
      throw new NodeUnavailableError(
        'node_unavailable',
        `the node lost its best block ${bestBlock}`,
      )
    }
    known.set(bestBlock, best)
    return best - confirmations + 1
  }
}
