import { withoutWitnesses } from '../../domain/chain/bare-transaction.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import type { PurchaseInput } from '../../domain/purchase/purchase-layout.ts'
import { needsPrevious } from '../../domain/purchase/purchase-psbt.ts'
import { usualSpend } from '../../domain/script/input-weight.ts'
import { BlockUnavailableError } from '../../ports/authorities/authority-errors.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { BlockHash, Outpoint, Txid } from '../../schemas/scalars.ts'
import { RefusalError } from '../refusal.ts'
import { assetTrouble, type NamedOutput, type OutputOfNode } from './named-outputs.ts'

/** A buyer's output that may safely be spent. */
export interface BuyerOutput {
  input: PurchaseInput
  /** Its spend is hidden behind a hash: the usual spend is assumed. */
  isSizeAssumed: boolean
  /** The index follows runes, so it is known to hold none. */
  runesExamined: boolean
}

const COINBASE_MATURITY = 100

/** An output that the buyer named, or the first reason why it cannot be spent in a purchase. */
export function buyerOutput(named: NamedOutput, tipHeight: number): BuyerOutput | string {
  const { outpoint, answer, height, mempoolSpender, assets } = named
  const text = outpointText(outpoint)
  if (mempoolSpender !== null || answer.status === 'spent-in-mempool') {
    return `${text} is spent in the mempool${mempoolSpender ? ` by ${mempoolSpender}` : ''}`
  }
  if (answer.status === 'absent') return `${text} is spent or was never there`
  if (height === null) return `${text} is unconfirmed`
  if (isImmature(named, tipHeight)) {
    return `${text} is a coinbase output that is not mature yet`
  }
  const trouble = assetTrouble(named)
  if (trouble) return trouble.detail
  const usual = usualSpend(answer.output.scriptHex)
  if (!usual) return `${text}: the size of a spend of its script is unknown`
  return {
    input: { outpoint, output: answer.output, spend: usual.size },
    isSizeAssumed: usual.isAssumed,
    runesExamined: assets?.runes !== null,
  }
}

/**
 * An output that is offered is worth its price to the buyer, whatever the index knows of it: it is
 * not spare, until its order is withdrawn. One that pays for a bid is money, and no bid can be
 * withdrawn by its buyer: that is only a notice.
 *
 * @throws RefusalError `code` with every reason found
 */
export function requireBuyerOutputs(
  outputs: readonly NamedOutput[],
  tipHeight: number,
  needed: readonly OutputTrouble[],
  code: ErrorCode = 'QUOTE_REFUSED',
): BuyerOutput[] {
  const judged = outputs.map((named) => buyerOutput(named, tipHeight))
  const reasons = [
    ...judged.flatMap((one) => (typeof one === 'string' ? [one] : [])),
    ...needed
      .filter((trouble) => trouble.code === 'offered')
      .map(({ message }) => `${message}: withdraw that order, or name another output`),
  ]
  if (reasons.length > 0) throw new RefusalError(code, reasons)
  return judged.filter((one) => typeof one !== 'string')
}

/** A coinbase output may be spent in the next block once it has 100 confirmations. */
export const isImmature = (
  { answer, height }: Pick<OutputOfNode, 'answer' | 'height'>,
  tipHeight: number,
): boolean =>
  answer.status !== 'absent' &&
  answer.coinbase &&
  height !== null &&
  tipHeight + 1 - height < COINBASE_MATURITY

/**
 * Most outputs that are signed only with the transaction that made them: each may cost the node a
 * block.
 */
const MAX_PREVIOUS = 16
/** Most bytes of those transactions in the PSBT, without witnesses. */
const MAX_PREVIOUS_BYTES = 262_144

/** @throws RefusalError QUOTE_REFUSED for more such outputs than a quote carries transactions */
export function requireFewPrevious(outputs: readonly OutputOfNode[]): void {
  const count = outputs.filter(isLegacy).length
  if (count <= MAX_PREVIOUS) return
  const most = `at most ${MAX_PREVIOUS} such outputs may be named`
  const reason = `${count} outputs can be signed for only with the transactions that made them`
  throw new RefusalError('QUOTE_REFUSED', `${reason}: ${most}`)
}

/**
 * The transactions, by txid, of those outputs that are signed only with them: each fetched once,
 * and kept without its witnesses.
 *
 * @throws RefusalError `code` where the node has pruned one (BIP174 allows nothing else in its
 *   place), or where they are too large together
 */
export async function previousTransactions(
  node: Pick<FullNode, 'blockHash' | 'transaction'>,
  outputs: readonly OutputOfNode[],
  code: ErrorCode = 'QUOTE_REFUSED',
): Promise<Map<string, Uint8Array>> {
  const previous = new Map<string, Uint8Array>()
  const blocks = new Map<number, BlockHash | null>()
  let bytes = 0
  for (const output of outputs.filter(isLegacy)) {
    const { outpoint, height } = output
    const { txid } = outpoint
    const known = previous.get(txid) ?? (await transactionOf(node, txid, height, blocks))
    if (!known) throw new RefusalError(code, prunedReason(outpoint))
    previous.set(txid, known)
    bytes += known.length
    if (bytes > MAX_PREVIOUS_BYTES) throw new RefusalError(code, TOO_LARGE)
  }
  return previous
}

const TOO_LARGE =
  `the previous transactions that must be signed with are larger than ${MAX_PREVIOUS_BYTES} bytes ` +
  'together: name other outputs'

const prunedReason = (outpoint: Outpoint): string =>
  `${outpointText(outpoint)} can be signed for only with the transaction that made it, which the ` +
  'node has pruned: name another output'

async function transactionOf(
  node: Pick<FullNode, 'blockHash' | 'transaction'>,
  txid: Txid,
  height: number | null,
  blocks: Map<number, BlockHash | null>,
): Promise<Uint8Array | null> {
  if (height === null) return null
  const block = blocks.get(height) ?? (await node.blockHash(height))
  blocks.set(height, block)
  const hex = block && (await previousTransaction(node, txid, block))
  return hex ? withoutWitnesses(hex) : null
}

const isLegacy = ({ answer }: OutputOfNode): boolean =>
  answer.status !== 'absent' && needsPrevious(answer.output.scriptHex)

/** The transaction that made an output, hex; null if the node no longer has its block. */
export async function previousTransaction(
  node: Pick<FullNode, 'transaction'>,
  txid: Txid,
  blockHash: BlockHash,
): Promise<string | null> {
  try {
    return (await node.transaction(txid, blockHash))?.hex ?? null
  } catch (error) {
    if (error instanceof BlockUnavailableError) return null
    throw error
  }
}
