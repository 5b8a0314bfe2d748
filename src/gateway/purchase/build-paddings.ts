import { readyStatus } from '../../authorities/ask-node.ts'
import { feeRateText } from '../../domain/chain/fee-rate.ts'
import { hashTransaction } from '../../domain/chain/hash256.ts'
import { outpointText } from '../../domain/chain/outpoint.ts'
import { layOutPaddings, type PaddingsRefusal } from '../../domain/purchase/paddings-layout.ts'
import type { SpendLayout } from '../../domain/purchase/purchase-layout.ts'
import {
  REPLACEABLE_SEQUENCE,
  spendPsbt,
  unsignedTransaction,
} from '../../domain/purchase/purchase-psbt.ts'
import { addressOfScript, scriptOfAddress } from '../../domain/script/address.ts'
import type { PaddingsRequest, TransactionPlan } from '../../schemas/api/outputs/paddings.ts'
import type { Notice } from '../../schemas/order.ts'
import type { Network, Outpoint } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { RefusalError } from '../refusal.ts'
import { askAuthorities } from './bounded-authorities.ts'
import { type BuyerOutput, previousTransactions, requireBuyerOutputs } from './buyer-outputs.ts'
import { endedOrders, type NeededOutput, neededOutputs } from './ended-orders.ts'
import type { SaleAuthorities } from './order-for-sale.ts'
import { RUNES_NOT_EXAMINED, sizeAssumed } from './quote-notices.ts'
import { quotedFeeRate } from './quoted-fee-rate.ts'
import { readAtOneTip } from './read-at-one-tip.ts'

const CODE = 'OPERATION_REFUSED'
const VERSION = 2
const NO_LOCKTIME = 0
/** Before the offered output of a purchase. */
const PADDINGS = 2
/** Relayed at every script, and little to set aside. */
const PADDING_SATS = '600'

/**
 * An unsigned transaction that makes the small outputs which a purchase names as paddings, from
 * outputs of the buyer that a purchase might name too: each is examined, and none may hold an
 * asset. Nothing is kept or broadcast.
 *
 * @throws RefusalError OPERATION_REFUSED with every reason found; NODE_UNAVAILABLE,
 *   ASSET_INDEX_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function buildPaddings(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  openOrders: FindOpenOrders,
  request: PaddingsRequest,
  signal: AbortSignal,
): Promise<TransactionPlan> {
  const { network } = gateway.settings
  const paymentScriptHex = scriptOfAddress(request.paymentAddress, network)
  if (paymentScriptHex === null) {
    throw new RefusalError(CODE, `paymentAddress: is not an address of ${network}`)
  }
  const named = distinct(request.fundingUtxos)
  const needed = await neededOutputs(openOrders, named)
  const planned = await askAuthorities(gateway, signal, (authorities) =>
    plannedBy(authorities, { ...request, paymentScriptHex, needed, network }),
  )
  return { network, ...planned, observedAt: new Date(gateway.clock.now()).toISOString() }
}

interface CheckedPaddings extends PaddingsRequest {
  paymentScriptHex: string
  /** What the named outputs are needed for by open orders here. */
  needed: readonly NeededOutput[]
  network: Network
}

async function plannedBy(
  { node, index }: SaleAuthorities,
  {
    count = PADDINGS,
    sats = PADDING_SATS,
    paymentScriptHex,
    needed,
    network,
    ...request
  }: CheckedPaddings,
): Promise<Omit<TransactionPlan, 'network' | 'observedAt'>> {
  await readyStatus(node)
  const feeRate = await quotedFeeRate(node, request.feeRateSatsPerVb, CODE)
  const [first, ...others] = request.fundingUtxos
  if (!first) throw new Error('a request without an output')
  const {
    tip,
    outputs: read,
    indexAt,
  } = await readAtOneTip({ node, index }, first, others, () => {})
  const buyer = requireBuyerOutputs(read, tip.height, needed, CODE)
  const layout = layOutPaddings({
    count,
    sats: BigInt(sats),
    funding: buyer.map(({ input }) => input),
    paymentScriptHex,
    feeRate,
  })
  if (layout.outcome !== 'laid-out') throw refusedLayout(layout)
  const { inputs, outputs } = layout
  const parts = {
    version: VERSION,
    locktime: NO_LOCKTIME,
    inputs: inputs.map((input) => ({ ...input, sequence: REPLACEABLE_SEQUENCE })),
    outputs,
  }
  const previous = await previousTransactions(node, read.slice(0, inputs.length), CODE)
  const addressOf = (scriptHex: string) => addressOfScript(scriptHex, network)
  return {
    psbt: spendPsbt({ ...parts, previous }),
    unsignedTxid: hashTransaction(unsignedTransaction(parts)),
    inputs: inputs.map(({ outpoint, output }) => ({ outpoint, ...output, role: 'BUYER_FUNDING' })),
    outputs: outputs.map(({ valueSats, scriptHex }, at) => ({
      valueSats,
      scriptHex,
      address: addressOf(scriptHex),
      role: at < count ? 'PADDING' : 'CHANGE',
    })),
    toSign: inputs.map(({ output: { scriptHex } }, inputIndex) => ({
      inputIndex,
      address: addressOf(scriptHex),
      scriptHex,
      sighash: 'ALL',
    })),
    networkFeeSats: layout.feeSats.toString(),
    feeRateSatsPerVb: feeRateText(feeRate),
    estimatedVbytes: layout.vbytes.toString(),
    changeSats: layout.changeSats.toString(),
    checkpoint: { height: tip.height, hash: tip.hash, assetIndexHeight: indexAt.height },
    notices: noticesOf(layout, buyer.slice(0, inputs.length), needed),
  }
}

/** @throws RefusalError OPERATION_REFUSED */
function distinct(outpoints: readonly Outpoint[]): readonly Outpoint[] {
  const texts = outpoints.map(outpointText)
  const twice = texts.filter((text, at) => texts.indexOf(text) !== at)
  if (twice.length === 0) return outpoints
  const reasons = [...new Set(twice)].map((text) => `${text} is named more than once`)
  throw new RefusalError(CODE, reasons)
}

function noticesOf(
  { foldedSats }: SpendLayout,
  spent: readonly BuyerOutput[],
  needed: readonly NeededOutput[],
): Notice[] {
  const texts = spent.map(({ input }) => outpointText(input.outpoint))
  const ended = needed.filter(({ outpoint }) => texts.includes(outpointText(outpoint)))
  return [
    {
      code: 'WAITS_FOR_A_BLOCK',
      message: 'The paddings can be named once a block holds this transaction.',
    },
    ...(foldedSats > 0n
      ? [
          {
            code: 'CHANGE_FOLDED_INTO_FEE',
            message: `A change of ${foldedSats} sats or less would be dust: it is part of the fee.`,
          },
        ]
      : []),
    ...(spent.every(({ runesExamined }) => runesExamined) ? [] : [RUNES_NOT_EXAMINED]),
    ...spent
      .filter(({ isSizeAssumed }) => isSizeAssumed)
      .map(({ input }) => sizeAssumed(input.outpoint)),
    ...endedOrders(ended, 'this transaction'),
  ]
}

function refusedLayout(refusal: PaddingsRefusal): RefusalError {
  if (refusal.outcome === 'dust') {
    const { sats, leastSats } = refusal
    const reason = `sats: an output of ${sats} is dust, the script of paymentAddress needs ${leastSats}`
    return new RefusalError(CODE, reason)
  }
  const missing = `${refusal.shortfallSats} sats are missing in fundingUtxos`
  return new RefusalError(CODE, `insufficient funds: ${missing}`)
}
