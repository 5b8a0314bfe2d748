import { marketRules } from '../../domain/catalog/market-rules.ts'
import { feeRateText } from '../../domain/chain/fee-rate.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import {
  layOutPurchase,
  type PurchaseInput,
  type PurchaseLayout,
  SELLER_INDEX,
} from '../../domain/purchase/purchase-layout.ts'
import { purchasePsbt } from '../../domain/purchase/purchase-psbt.ts'
import { scriptOfAddress } from '../../domain/script/address.ts'
import { spendSizeOf } from '../../domain/script/input-weight.ts'
import type { OutputTrouble } from '../../schemas/api/outputs/check.ts'
import type { Quote, QuoteRequest } from '../../schemas/api/purchase.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network, Outpoint, OutpointText } from '../../schemas/scalars.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import type { FindOpenOrders } from '../order/orders-of-output.ts'
import { RefusalError } from '../refusal.ts'
import { askAuthorities } from './bounded-authorities.ts'
import { previousTransactions, requireBuyerOutputs, requireFewPrevious } from './buyer-outputs.ts'
import { neededOutputs } from './ended-orders.ts'
import { type NamedOutput, type NamedOutputs, outputOf } from './named-outputs.ts'
import { handoffReady, type SaleAuthorities } from './order-for-sale.ts'
import { quoteNotices } from './quote-notices.ts'
import { quotedFeeRate } from './quoted-fee-rate.ts'
import { readAtOneTip } from './read-at-one-tip.ts'

/**
 * The buyer's half of a purchase, to be signed in one round (gateway spec 4.2,
 * docs/design/purchases.md#quote). Nothing is reserved, and no claim of the request about an output
 * is believed.
 *
 * @throws RefusalError QUOTE_REFUSED with every reason found; ORDER_NOT_FOUND, ORDER_NOT_LIVE,
 *   ORDER_NOT_READY; NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function quoteOrder(
  gateway: CommandParts & Pick<Gateway, 'purchases' | 'checks' | 'pool' | 'node' | 'index'>,
  openOrders: FindOpenOrders,
  id: string,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<Quote> {
  const { order } = await handoffReady(gateway, id, signal)
  const named = namedBy(request)
  requireDistinct(named, order.outpoint)
  const needed = await neededOutputs(openOrders, named)
  return askAuthorities(gateway, signal, (authorities) =>
    quoteFrom(gateway, authorities, order, { ...request, needed }),
  )
}

interface CheckedRequest extends QuoteRequest {
  /** What the buyer's outputs are needed for by open orders here. */
  needed: readonly OutputTrouble[]
}

async function quoteFrom(
  gateway: Pick<Gateway, 'purchases' | 'clock' | 'settings'>,
  authorities: SaleAuthorities,
  order: OrderRecord,
  request: CheckedRequest,
): Promise<Quote> {
  const scripts = buyerScripts(request, gateway.settings.network)
  const offered = parseOutpoint(order.outpoint)
  const named = namedBy(request)
  const feeRate = await quotedFeeRate(authorities.node, request.feeRateSatsPerVb)

  const { tip, ...read } = await readAtOneTip(authorities, offered, named, requireFewPrevious)
  const [offeredOutput, ...buyerOutputs] = read.outputs
  const { places, ...sellerOutput } = requireThere(order, offeredOutput, read.places)
  const buyer = requireBuyerOutputs(buyerOutputs, tip.height, request.needed)
  const [first, second, ...funding] = buyer.map(({ input }) => input)
  const [payout] = order.kept.offer.payouts
  const seller = await sellerSide(gateway, order, sellerOutput)
  if (!seller || !payout || !first || !second)
    throw new Error(`order ${order.id} is not an ask of one output`)

  const movesRunes = mayHoldRunes(order, sellerOutput)
  const layout = layOutPurchase({
    seller: seller.input,
    payout,
    paddings: [first, second],
    funding,
    ...scripts,
    movesRunes,
    feeRate,
    version: order.kept.offer.version,
  })
  if (layout.outcome !== 'laid-out') throw refusedLayout(layout)
  const now = gateway.clock.now()
  return {
    orderId: order.id,
    network: order.network,
    psbt: purchasePsbt({
      version: order.kept.offer.version,
      locktime: order.kept.offer.locktime,
      sellerSequence: seller.sequence,
      sellerIndex: SELLER_INDEX,
      sellerScripts: seller.scripts,
      inputs: layout.inputs,
      outputs: layout.outputs,
      previous: await previousTransactions(authorities.node, buyerOutputs),
    }),
    sellerIndex: SELLER_INDEX,
    asset: order.assets[0] ?? null,
    assetReceiveAddress: request.assetReceiveAddress,
    paymentAddress: request.paymentAddress,
    sellerPaymentScriptHex: payout.scriptHex,
    assetValueSats: seller.input.output.valueSats,
    sellerProceedsSats: payout.valueSats,
    ...costsOf(layout, payout.valueSats),
    feeRateSatsPerVb: feeRateText(feeRate),
    estimatedVbytes: layout.vbytes.toString(),
    inputOutpoints: layout.inputs.map(({ outpoint }) => outpoint),
    outputScriptsHex: layout.outputs.map(({ scriptHex }) => scriptHex),
    outputValuesSats: layout.outputs.map(({ valueSats }) => valueSats),
    checkpoint: { height: tip.height, hash: tip.hash, assetIndexHeight: read.indexAt.height },
    observedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + gateway.settings.quoteTtlSeconds * 1_000).toISOString(),
    notices: quoteNotices({
      layout,
      offered: sellerOutput,
      places,
      movesRunes,
      sellsRunes: marketRules(order.protocolId).sellsRunes,
      buyer,
      needed: request.needed,
    }),
  }
}

/**
 * This service takes no fee and passes on no royalty; both are stated as zero (gateway spec 2.2).
 */
function costsOf({ feeSats, changeSats, paddingSats }: PurchaseLayout, payoutSats: string) {
  return {
    marketplaceFeeSats: '0',
    creatorRoyaltySats: '0',
    networkFeeSats: feeSats.toString(),
    changeSats: changeSats.toString(),
    paddingSats: paddingSats.toString(),
    totalBuyerCostSats: (BigInt(payoutSats) + feeSats).toString(),
  }
}

function buyerScripts(
  { assetReceiveAddress, paymentAddress }: QuoteRequest,
  network: Network,
): { receiveScriptHex: string; paymentScriptHex: string } {
  const receive = scriptOfAddress(assetReceiveAddress, network)
  const payment = scriptOfAddress(paymentAddress, network)
  if (receive !== null && payment !== null) {
    if (receive !== payment) return { receiveScriptHex: receive, paymentScriptHex: payment }
    const reason = 'assetReceiveAddress: must not be the payment address'
    throw new RefusalError('QUOTE_REFUSED', reason)
  }
  const wrong = [
    ...(receive === null ? ['assetReceiveAddress'] : []),
    ...(payment === null ? ['paymentAddress'] : []),
  ]
  const reasons = wrong.map((field) => `${field}: is not an address of ${network}`)
  throw new RefusalError('QUOTE_REFUSED', reasons)
}

const namedBy = ({ paddingUtxos, fundingUtxos }: QuoteRequest): Outpoint[] => [
  ...paddingUtxos,
  ...fundingUtxos,
]

function requireDistinct(named: readonly Outpoint[], offered: OutpointText): void {
  const texts = named.map(outpointText)
  const reasons = [
    ...(texts.includes(offered) ? [`${offered} is the offered output itself`] : []),
    ...texts
      .filter((text, at) => texts.indexOf(text) !== at)
      .map((text) => `${text} is named more than once`),
  ]
  if (reasons.length > 0) throw new RefusalError('QUOTE_REFUSED', [...new Set(reasons)])
}

/** @throws RefusalError for an output that changed since the order was rechecked */
function requireThere(
  { outpoint }: OrderRecord,
  named: NamedOutput | undefined,
  places: NamedOutputs['places'],
): NamedOutput & { places: readonly InscriptionAt[] } {
  if (named?.answer.status !== 'unspent' || named.mempoolSpender !== null) {
    throw new RefusalError('ORDER_NOT_LIVE', `${outpoint} was spent just now`)
  }
  if (named.assets && places) return { ...named, places }
  const reason = `the index has not examined ${outpoint} yet`
  throw new RefusalError('ASSET_INDEX_UNAVAILABLE', reason)
}

/** If the index does not follow runes, the market decides whether to expect some. */
const mayHoldRunes = ({ protocolId }: OrderRecord, { assets }: NamedOutput): boolean =>
  assets?.runes ? assets.runes.length > 0 : marketRules(protocolId).sellsRunes

/** The seller's input as it was signed: its real size, its own sequence. */
async function sellerSide(
  { purchases }: Pick<Gateway, 'purchases'>,
  { kept }: OrderRecord,
  named: NamedOutput,
) {
  const { artifact, offer, inspection } = kept
  const { sellerIndex: inputIndex } = offer
  const output = outputOf(named)
  const sequence = offer.sequences[inputIndex]
  const inputs = Array.from({ length: inspection.inputCount })
  const prevouts = inputs.map((_, at) => (at === inputIndex ? output : null))
  const scripts = await purchases.complete({ psbt: artifact, inputIndex, prevouts })
  if (!output || !scripts || sequence === undefined) return null
  const spend = spendSizeOf(output.scriptHex, scripts)
  const { outpoint } = named
  return { input: { outpoint, output, spend } satisfies PurchaseInput, scripts, sequence }
}

function refusedLayout(
  refusal: Exclude<ReturnType<typeof layOutPurchase>, { outcome: 'laid-out' }>,
): RefusalError {
  if (refusal.outcome === 'insufficient-funds') {
    const missing = `${refusal.shortfallSats} sats are missing in fundingUtxos`
    return new RefusalError('QUOTE_REFUSED', `insufficient funds: ${missing}`)
  }
  if (refusal.outcome === 'too-large') {
    const { vbytes, mostVbytes } = refusal
    const most = `one of version 3 has at most ${mostVbytes}: name fewer fundingUtxos`
    return new RefusalError('QUOTE_REFUSED', `the transaction would have ${vbytes} vB, and ${most}`)
  }
  const { output, sats, leastSats } = refusal
  const reason = `the ${output} output of ${sats} sats is dust: its script needs ${leastSats}`
  return new RefusalError('QUOTE_REFUSED', reason)
}
