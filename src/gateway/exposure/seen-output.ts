import { priorMedianTime } from '../../authorities/ask-node.ts'
import { isSpentInBlock, type SeenOutput } from '../../domain/exposure/takeable.ts'
import type { ExposedOutput } from '../../schemas/api/outputs/exposure.ts'
import type { Evidence, OutputEvidence, Spend } from '../../schemas/evidence.ts'
import type { BlockRef, OutpointText } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { inTime } from '../intake/examine-offer.ts'
import { asksOf, type QueuedViews } from '../order/orders-of-output.ts'
import { askWithinBounds } from '../purchase/bounded-authorities.ts'
import { requireNode } from '../purchase/order-for-sale.ts'
import { RefusalError } from '../refusal.ts'

export interface OutputSeenNow extends SeenOutput {
  tip: SeenOutput['tip'] & BlockRef
  answeredAt: string
}

/**
 * What the node says about an output now, in the lane of an inspection. If it cannot tell a spent
 * output from one that never existed, or cannot name the spender, the log of its orders may.
 *
 * @throws RefusalError NODE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function seeOutput(
  gateway: Pick<Gateway, 'inspections' | 'node' | 'clock' | 'settings'>,
  views: QueuedViews,
  outpoint: OutpointText,
  signal: AbortSignal,
): Promise<OutputSeenNow> {
  const { node, answeredAt } = await askNodeAlone(gateway, outpoint, signal)
  if (node.status === 'unavailable') {
    throw new RefusalError('NODE_UNAVAILABLE', `the node gives no answer: ${node.reason}`)
  }
  const output = await withLoggedSpend(views, outpoint, node.output)
  const block = output.status === 'missing' || isSpentInBlock(output) ? null : output.block
  const prior = block
    ? await askWithinBounds(gateway, requireNode(gateway), signal, (asking) =>
        priorMedianTime(asking, block),
      )
    : null
  return { output, priorMedianTime: prior, tip: node.tip, answeredAt }
}

/** Without a signature to check, and without asking the index. */
function askNodeAlone(
  { inspections }: Pick<Gateway, 'inspections'>,
  outpoint: OutpointText,
  signal: AbortSignal,
): Promise<Evidence> {
  const reason = `the node takes too long to answer about ${outpoint}: try again`
  const answer = inspections.examineProof(outpoint, [], signal).then((evidence) => {
    if (evidence === 'signed') throw new Error('nothing was sent that could be signed')
    return evidence
  })
  return inTime(answer, signal, reason)
}

async function withLoggedSpend(
  views: QueuedViews,
  outpoint: OutpointText,
  output: OutputEvidence,
): Promise<OutputEvidence> {
  const isUnnamed =
    output.status === 'missing' || (isSpentInBlock(output) && spendIn(output) === null)
  if (!isUnnamed) return output
  const spend = await loggedSpend(views, outpoint)
  if (!spend) return output
  const known = output.status === 'missing' ? null : output.output
  return { status: 'spent', confirmed: true, output: known, block: null, by: spend }
}

/** The spend recorded with orders that have ended; a reorg retracts it. */
async function loggedSpend(views: QueuedViews, outpoint: OutpointText): Promise<Spend | null> {
  for (const state of ['SETTLED', 'SPENT'] as const) {
    const { orders } = await views.page({ ...asksOf(outpoint), state, sort: 'newest', limit: 1 })
    const spend = orders[0]?.order.spend
    if (spend?.block) return spend
  }
  return null
}

const spendIn = (output: OutputEvidence): Spend | null =>
  output.status === 'spent' ? output.by : null

/** The output as it is shown. */
export function exposedOutput(output: OutputEvidence): ExposedOutput {
  if (output.status === 'missing') {
    return { status: 'UNKNOWN', output: null, block: null, spentBy: null }
  }
  const { output: value, block } = output
  if (output.status === 'unspent') {
    const status = block ? 'UNSPENT' : 'UNCONFIRMED'
    return { status, output: value, block, spentBy: null }
  }
  const { by, confirmed } = output
  const spentBy = by && { txid: by.txid, block: by.block && refOf(by.block) }
  return { status: confirmed ? 'SPENT' : 'SPENT_IN_MEMPOOL', output: value, block, spentBy }
}

const refOf = ({ height, hash }: BlockRef): BlockRef => ({ height, hash })
