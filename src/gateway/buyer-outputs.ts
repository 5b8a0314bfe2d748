import { usualSpend } from '../domain/input-weight.ts'
import { outpointText } from '../domain/outpoint.ts'
import type { PurchaseInput } from '../domain/purchase-layout.ts'
import { needsPrevious } from '../domain/purchase-psbt.ts'
import type { FullNode } from '../ports/full-node.ts'
import { assetTrouble, type NamedOutput } from './named-outputs.ts'
import { previousTransaction } from './previous-transaction.ts'

/** An output of the buyer's that may be spent without harm. */
export interface BuyerOutput {
  input: PurchaseInput
  /** Its spend is hidden behind a hash: the usual one is assumed. */
  isSizeAssumed: boolean
  /** The index follows runes, so it is known to hold none. */
  runesExamined: boolean
}

const COINBASE_MATURITY = 100

/** An output that the buyer named, or why it cannot be spent in a purchase: the first reason. */
export function buyerOutput(named: NamedOutput, tipHeight: number): BuyerOutput | string {
  const { outpoint, answer, height, mempoolSpender, assets } = named
  const text = outpointText(outpoint)
  if (mempoolSpender !== null || answer.status === 'spent-in-mempool') {
    return `${text} is spent in the mempool${mempoolSpender ? ` by ${mempoolSpender}` : ''}`
  }
  if (answer.status === 'absent') return `${text} is spent or was never there`
  if (height === null) return `${text} is unconfirmed`
  // It may be spent in the next block when its hundredth confirmation is there.
  if (answer.coinbase && tipHeight + 1 - height < COINBASE_MATURITY) {
    return `${text} is a coinbase output that is not mature yet`
  }
  const trouble = assetTrouble(named)
  if (trouble) return trouble.detail
  const usual = usualSpend(answer.output.scriptHex)
  if (!usual) return `${text}: the size of a spend of its script cannot be told`
  return {
    input: { outpoint, output: answer.output, spend: usual.size },
    isSizeAssumed: usual.isAssumed,
    runesExamined: assets?.runes !== null,
  }
}

/** The transactions of those outputs that are signed for only with them, hex by txid; pruned ones are left out. */
export async function previousTransactions(
  node: FullNode,
  outputs: readonly NamedOutput[],
): Promise<Map<string, string>> {
  const previous = new Map<string, string>()
  for (const { outpoint, answer, height } of outputs) {
    const isLegacy = answer.status !== 'absent' && needsPrevious(answer.output.scriptHex)
    if (!isLegacy || height === null) continue
    const block = await node.blockHash(height)
    const hex = block && (await previousTransaction(node, outpoint.txid, block))
    if (hex) previous.set(outpoint.txid, hex)
  }
  return previous
}
