import { readyStatus } from '../../authorities/ask-node.ts'
import { type Examinations, examineMany } from '../../authorities/examine-many.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type {
  CheckedOutput,
  CheckOutputsRequest,
  OutputsChecked,
} from '../../schemas/api/outputs/check.ts'
import type { Notice } from '../../schemas/order.ts'
import type { BlockRef, Outpoint } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { askNodeAndIndex } from '../purchase/bounded-authorities.ts'
import { type NamedOutput, type OutputOfNode, outputOf } from '../purchase/named-outputs.ts'
import { troublesOf } from '../purchase/output-troubles.ts'
import { RUNES_NOT_EXAMINED } from '../purchase/quote-notices.ts'
import { examineAtOneTip } from '../purchase/read-at-one-tip.ts'

/**
 * Which of these outputs a buyer may name as padding or payment, and everything against the others.
 * The node is asked about all in one batch, and the index about those that exist. While the index
 * is unavailable no output is safe, and each says so.
 *
 * @throws RefusalError NODE_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function checkOutputs(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  openOrders: FindOpenOrders,
  { outpoints }: CheckOutputsRequest,
  signal: AbortSignal,
): Promise<OutputsChecked> {
  const read = await askNodeAndIndex(gateway, signal, (authorities) =>
    examineOutpoints(authorities, outpoints),
  )
  return judgedOutputs(gateway, openOrders, read)
}

/** Everything against each of these outputs, with the orders here that would spend it. */
export async function judgedOutputs(
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  openOrders: FindOpenOrders,
  { known, examined, tip }: ExaminedOutputs,
): Promise<OutputsChecked> {
  const there = known.filter((output) => outputOf(output) !== null)
  const spentBy = await openOrders(there.map(({ outpoint }) => outpointText(outpoint)))
  const index =
    examined.status === 'ready' ? { height: examined.at.height } : { reason: examined.reason }
  const outputs = known.map((output, at): CheckedOutput => {
    const named: NamedOutput = { ...output, assets: contentsAt(examined, at) }
    const orders = spentBy[there.indexOf(output)] ?? { ask: null, bid: null }
    const troubles = troublesOf(named, { tipHeight: tip.height, index, orders })
    return {
      outpoint: output.outpoint,
      safe: troubles.length === 0,
      output: outputOf(output),
      height: output.height,
      troubles,
    }
  })
  return {
    network: gateway.settings.network,
    outputs,
    nodeTip: { height: tip.height, hash: tip.hash },
    indexTip: examined.status === 'ready' ? examined.at : null,
    observedAt: new Date(gateway.clock.now()).toISOString(),
    notices: noticesOf(examined),
  }
}

export interface ExaminedOutputs {
  known: readonly OutputOfNode[]
  examined: Examinations
  tip: BlockRef
}

export async function examineOutpoints(
  { node, index }: { node: FullNode; index: AssetIndex | null },
  outpoints: readonly Outpoint[],
): Promise<ExaminedOutputs> {
  await readyStatus(node)
  return examineAtOneTip(node, outpoints, async (known: readonly OutputOfNode[]) => ({
    known,
    examined: await examineMany(node, index, known),
  }))
}

const contentsAt = (examined: Examinations, at: number) =>
  examined.status === 'ready' ? (examined.contents[at] ?? null) : null

/** A quote also accepts such outputs, with the same notice. */
function noticesOf(examined: Examinations): Notice[] {
  const contents = examined.status === 'ready' ? examined.contents : []
  return contents.some((one) => one?.runes === null) ? [RUNES_NOT_EXAMINED] : []
}
