import { outpointText } from '../domain/outpoint.ts'
import type { OutputAssets } from '../ports/asset-index.ts'
import { NodeUnavailable } from '../ports/authority-errors.ts'
import type { FullNode, OutputAnswer } from '../ports/full-node.ts'
import type { BlockRef, Outpoint, TxOut } from '../schemas/scalars.ts'
import { examineOutputs } from './examine-outputs.ts'
import type { Authorities } from './order-for-sale.ts'
import { Refusal } from './refusal.ts'

/** What node and index say of outputs, on one chain. */
export interface NamedOutputs {
  /** In the order asked. */
  outputs: NamedOutput[]
  indexAt: BlockRef
}

export interface NamedOutput {
  outpoint: Outpoint
  answer: OutputAnswer
  /** Of its block; null while it is unconfirmed or unknown. */
  height: number | null
  /** Null: the index does not know it, or has not reached or examined it. */
  assets: OutputAssets | null
  /** The transaction of the mempool that spends it. */
  mempoolSpender: string | null
}

/** @throws Refusal ASSET_INDEX_UNAVAILABLE; NodeUnavailable */
export async function readNamedOutputs(
  { node, index }: Authorities,
  outpoints: readonly Outpoint[],
): Promise<NamedOutputs> {
  const answers = await node.outputs(outpoints)
  const spenders = await node.mempoolSpenders(outpoints)
  const heightOf = heightsBy(node)
  const examined = await examineOutputs(node, index, outpoints)
  if (examined.status === 'unavailable') {
    const reason = `the index gives no answer: ${examined.reason}`
    throw new Refusal('ASSET_INDEX_UNAVAILABLE', reason)
  }
  const outputs: NamedOutput[] = []
  for (const [at, outpoint] of outpoints.entries()) {
    const answer = answers[at] ?? { status: 'absent' as const }
    const height = await heightOf(answer)
    const assets = examined.outputs[at] ?? null
    const isKnown = assets?.indexed === true && height !== null && height <= examined.at.height
    const mempoolSpender = spenders[at] ?? null
    outputs.push({ outpoint, answer, height, assets: isKnown ? assets : null, mempoolSpender })
  }
  return { outputs, indexAt: { height: examined.at.height, hash: examined.at.hash } }
}

/** What is wrong with the assets of an output that should hold none; null: it is known to be empty. */
export function assetTrouble(named: NamedOutput): { code: AssetTrouble; detail: string } | null {
  const text = outpointText(named.outpoint)
  const { assets, height } = named
  if (height === null) return { code: 'input_unconfirmed', detail: `${text} is unconfirmed` }
  if (!assets) {
    return { code: 'input_not_indexed', detail: `${text} is not examined by the index yet` }
  }
  const [inscription] = assets.inscriptions
  if (inscription) {
    const detail = `${text} holds the inscription ${inscription.id}`
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

/** The value and script of an output that the chain has; null where it has none. */
export const outputOf = ({ answer }: NamedOutput): TxOut | null =>
  answer.status === 'absent' ? null : answer.output

/** The node counts from its best block, which is mostly the same for all answers. */
function heightsBy(node: FullNode): (answer: OutputAnswer) => Promise<number | null> {
  const known = new Map<string, number>()
  return async (answer) => {
    if (answer.status === 'absent' || answer.confirmations === 0) return null
    const { bestBlock, confirmations } = answer
    const best = known.get(bestBlock) ?? (await node.header(bestBlock))?.height
    if (best === undefined) {
      throw new NodeUnavailable('node_unavailable', `the node lost its best block ${bestBlock}`)
    }
    known.set(bestBlock, best)
    return best - confirmations + 1
  }
}
