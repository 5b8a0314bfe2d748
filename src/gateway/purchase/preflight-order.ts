import { runesNotices } from '../../domain/assets/runes-held.ts'
import { readRunestone } from '../../domain/assets/runestone.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import {
  type FinalInput,
  type FinalTransaction,
  isWholeSigned,
} from '../../domain/purchase/final-transaction.ts'
import {
  type AssetLanding,
  bindPurchase,
  type PurchaseFault,
  traceAssets,
  traceRunes,
  traceSats,
} from '../../domain/purchase/purchase-check.ts'
import type { PreflightRequest, PreflightResult } from '../../schemas/api/purchase.ts'
import type { Notice } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { findOrder } from '../order/read-order.ts'
import { RefusalError } from '../refusal.ts'
import { askAuthorities } from './bounded-authorities.ts'
import { endedOrders, neededOutputs } from './ended-orders.ts'
import {
  assetTrouble,
  examineNamed,
  type NamedOutput,
  type OutputOfNode,
  outputOf,
  readOutputs,
} from './named-outputs.ts'
import { recheckedAsk, type SaleAuthorities } from './order-for-sale.ts'

/** What the checks found: a fault, or the report on a purchase without one. */
type PreflightFindings =
  | { fault: PurchaseFault; notices?: Notice[] }
  | { fault: null; feesSats: string | null; vsize: number | null; notices: Notice[] }

/**
 * Would this transaction buy the order, and would the node take it (gateway spec 4.2,
 * docs/design/purchases.md#preflight)? Nothing is signed, changed or broadcast. What is wrong with
 * the transaction is in the result.
 *
 * @throws RefusalError INVALID_TRANSACTION, INVALID_PSBT, PSBT_TOO_LARGE; ORDER_NOT_FOUND,
 *   ORDER_NOT_LIVE, ORDER_NOT_READY; NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export async function preflightOrder(
  gateway: CommandParts & Pick<Gateway, 'purchases' | 'checks' | 'pool' | 'node' | 'index'>,
  openOrders: FindOpenOrders,
  id: string,
  request: PreflightRequest,
  signal: AbortSignal,
): Promise<PreflightResult> {
  // An unknown order is not worth a parser's time.
  await findOrder(gateway, id)
  const transaction = await read(gateway, request)
  const { order } = await recheckedAsk(gateway, id, signal)
  const others = transaction.inputs.flatMap(({ outpoint }) =>
    outpointText(outpoint) === order.outpoint ? [] : [outpoint],
  )
  const ended = endedOrders(await neededOutputs(openOrders, others))
  const found = await askAuthorities(gateway, signal, (authorities) =>
    examine(authorities, transaction, order),
  )
  const { txid, hex } = transaction
  const checkedAt = new Date(gateway.clock.now()).toISOString()
  if (found.fault) {
    const { code, detail } = found.fault
    const notices = [{ code: 'REJECTED', message: detail }, ...(found.notices ?? []), ...ended]
    const { vsize } = transaction
    return {
      orderId: order.id,
      allowed: false,
      rejectReason: code,
      txid,
      vsize,
      checkedAt,
      notices,
    }
  }
  return {
    finalTxHex: hex,
    orderId: order.id,
    allowed: true,
    txid,
    vsize: found.vsize ?? transaction.vsize,
    ...(found.feesSats !== null && { feesSats: found.feesSats }),
    checkedAt,
    notices: [...found.notices, ...ended],
  }
}

/** @throws RefusalError INVALID_TRANSACTION, INVALID_PSBT, PSBT_TOO_LARGE */
async function read(
  { purchases }: Pick<Gateway, 'purchases'>,
  { finalTxHex, signedPsbt }: PreflightRequest,
): Promise<FinalTransaction> {
  const text = signedPsbt === undefined ? { finalTxHex: finalTxHex ?? '' } : { signedPsbt }
  const reading = await purchases.read(text)
  if (reading.status === 'read') return reading.transaction
  throw new RefusalError(reading.code, reading.message)
}

/** The checks in order; the first that fails is the answer. */
async function examine(
  authorities: SaleAuthorities,
  transaction: FinalTransaction,
  { kept: { offer }, protocolId }: OrderRecord,
): Promise<PreflightFindings> {
  const { sellsRunes } = marketRules(protocolId)
  const bound = bindPurchase(transaction, offer)
  if ('code' in bound) return { fault: bound }
  const { sellerIndex } = bound
  const outpoints = transaction.inputs.map(({ outpoint }) => outpoint)
  const ofNode = await readOutputs(authorities.node, outpoints)
  const prevouts = ofNode.map(outputOf)
  const known = prevouts.filter((prevout) => prevout !== null)
  if (known.length < prevouts.length) return { fault: missing(ofNode) }

  const { outputs: inputs, places } = await examineNamed(
    authorities,
    ofNode,
    parseOutpoint(offer.outpoint),
  )
  const offered = inputs[sellerIndex]
  if (!offered?.assets || !places) {
    const reason = `the index has not examined ${offer.outpoint} yet`
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', reason)
  }
  const landings = traceAssets(transaction, sellerIndex, known, places)
  if (!Array.isArray(landings)) return { fault: landings }
  const sats = landings.length > 0 || sellsRunes ? null : traceSats(transaction, sellerIndex, known)
  if (sats) return { fault: sats }
  const others = inputs.filter((named) => named !== offered)
  const trouble = others.map(assetTrouble).find((one) => one !== null)
  if (trouble) return { fault: trouble }
  const mayMove = mayMoveRunes(transaction, offered, sellsRunes)
  const runes = mayMove ? traceRunes(transaction, sellerIndex) : null
  if (runes) return { fault: runes }
  const found = await askNode(authorities, transaction, inputs, landings)
  if (found.fault) return found
  const held = runesNotices(offered.assets.runes, sellsRunes)
  const open = transaction.inputs.filter((input, at) => at !== sellerIndex && !isWholeSigned(input))
  return { ...found, notices: [...found.notices, ...held, ...open.map(openNotice)] }
}

async function askNode(
  { node }: SaleAuthorities,
  { hex, txid }: FinalTransaction,
  inputs: readonly NamedOutput[],
  landings: readonly AssetLanding[],
): Promise<PreflightFindings> {
  const replaced = inputs.flatMap(({ mempoolSpender }) =>
    mempoolSpender === null || mempoolSpender === txid ? [] : [mempoolSpender],
  )
  const replacing = [...new Set(replaced)].map((spender) => ({
    code: 'REPLACES_TRANSACTION',
    message: `This transaction would replace ${spender}, which waits in the mempool.`,
  }))
  const [answer] = await node.testAccept([hex])
  if (!answer?.allowed) {
    const detail = `the node refuses it: ${answer?.rejectReason ?? 'without a reason'}`
    return { fault: { code: 'not_accepted_by_node', detail }, notices: replacing }
  }
  const notices = [...landings.map(landingNotice), ...replacing, ...unexamined(inputs)]
  return { fault: null, feesSats: answer.feesSats, vsize: answer.vsize, notices }
}

function missing(inputs: readonly OutputOfNode[]): PurchaseFault {
  const gone = inputs.filter((named) => outputOf(named) === null)
  const [first] = gone.map(({ outpoint }) => outpointText(outpoint))
  return { code: 'input_missing', detail: `${first} is spent or was never there` }
}

/**
 * An index that does not follow runes says nothing about them: an output sold as runes then counts
 * as holding some, and elsewhere a message must not burn runes that may be there.
 */
function mayMoveRunes(
  { outputs }: FinalTransaction,
  { assets }: NamedOutput,
  sellsRunes: boolean,
): boolean {
  const runes = assets?.runes ?? null
  if (runes !== null) return runes.length > 0
  return sellsRunes || readRunestone(outputs.map(({ scriptHex }) => scriptHex)) !== null
}

const openNotice = ({ outpoint }: FinalInput): Notice => ({
  code: 'INPUT_SIGNED_IN_PART',
  message:
    `${outpointText(outpoint)} is signed for less than this transaction: others can spend it in ` +
    'one of their own. Sign it again, with SIGHASH_ALL.',
})

const landingNotice = ({ inscriptionId, output, offset }: AssetLanding): Notice => ({
  code: 'ASSET_OFFSET',
  message: `${inscriptionId} arrives in output ${output} at offset ${offset}.`,
})

function unexamined(inputs: readonly NamedOutput[]): Notice[] {
  if (inputs.every(({ assets }) => assets?.runes !== null)) return []
  const message = 'The index follows no runes: whether any input holds some is unknown.'
  return [{ code: 'RUNES_NOT_EXAMINED', message }]
}
