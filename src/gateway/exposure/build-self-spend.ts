import { readyStatus } from '../../authorities/ask-node.ts'
import { feeRateText } from '../../domain/chain/fee-rate.ts'
import { outpointText, parseOutpoint } from '../../domain/chain/outpoint.ts'
import {
  layOutSelfSpend,
  type SelfSpendRefusal,
  sellsSats,
} from '../../domain/exposure/self-spend.ts'
import type { PurchaseInput } from '../../domain/purchase/purchase-layout.ts'
import { REPLACEABLE_SEQUENCE, spendPsbt } from '../../domain/purchase/purchase-psbt.ts'
import { scriptOfAddress } from '../../domain/script/address.ts'
import { usualSpend } from '../../domain/script/input-weight.ts'
import type { SelfSpend, SelfSpendRequest } from '../../schemas/api/outputs/self-spend.ts'
import type { InscriptionAt } from '../../schemas/evidence.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network, Outpoint, OutpointText } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { asksOf, type FindOpenOrders, type QueuedViews } from '../order/orders-of-output.ts'
import { askAuthorities } from '../purchase/bounded-authorities.ts'
import { isImmature, previousTransactions, requireBuyerOutputs } from '../purchase/buyer-outputs.ts'
import { type NeededOutput, neededOutputs } from '../purchase/ended-orders.ts'
import { type NamedOutput, outputOf } from '../purchase/named-outputs.ts'
import type { SaleAuthorities } from '../purchase/order-for-sale.ts'
import { quotedFeeRate } from '../purchase/quoted-fee-rate.ts'
import { type OutputsAtTip, readAtOneTip } from '../purchase/read-at-one-tip.ts'
import { RefusalError } from '../refusal.ts'
import { selfSpendNotices } from './self-spend-notices.ts'

const CODE = 'SELF_SPEND_REFUSED'
const VERSION = 2
const NO_LOCKTIME = 0
/** Asks that are looked at, the newest, for what the output is sold as. */
const LOOKED_AT = 50

/**
 * An unsigned transaction that spends an output to its owner: once a block holds it, every
 * authorisation of the output has ended. Node and index prove what it holds, and every asset goes to
 * the destination.
 *
 * @throws RefusalError SELF_SPEND_REFUSED with every reason found; NODE_UNAVAILABLE,
 *   ASSET_INDEX_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function buildSelfSpend(
  gateway: Pick<Gateway, 'node' | 'index' | 'clock' | 'settings'>,
  { views, openOrders }: { views: QueuedViews; openOrders: FindOpenOrders },
  outpoint: OutpointText,
  request: SelfSpendRequest,
  signal: AbortSignal,
): Promise<SelfSpend> {
  const scripts = scriptsOf(request, gateway.settings.network)
  const { fundingUtxos = [] } = request
  requireDistinct(fundingUtxos, outpoint)
  const needed = await neededOutputs(openOrders, fundingUtxos)
  const known = await views.page({ ...asksOf(outpoint), sort: 'newest', limit: LOOKED_AT })
  const asks = known.orders.map(({ order }) => order)
  const built = await askAuthorities(gateway, signal, (authorities) =>
    composed(authorities, outpoint, { ...request, needed, asks }, scripts),
  )
  return {
    outpoint,
    network: gateway.settings.network,
    authorisations: known.total,
    destinationAddress: request.destinationAddress,
    observedAt: new Date(gateway.clock.now()).toISOString(),
    ...built,
  }
}

interface Scripts {
  destinationScriptHex: string
  changeScriptHex: string
}

type Composed = Omit<
  SelfSpend,
  'outpoint' | 'network' | 'authorisations' | 'destinationAddress' | 'observedAt'
>

interface CheckedSelfSpend extends SelfSpendRequest {
  /** What the funding is needed for by open orders here. */
  needed: readonly NeededOutput[]
  /** The asks of the output. */
  asks: readonly OrderRecord[]
}

async function composed(
  { node, index }: SaleAuthorities,
  outpoint: OutpointText,
  { feeRateSatsPerVb, fundingUtxos = [], needed, asks }: CheckedSelfSpend,
  scripts: Scripts,
): Promise<Composed> {
  await readyStatus(node)
  const feeRate = await quotedFeeRate(node, feeRateSatsPerVb, CODE)
  const offered = parseOutpoint(outpoint)
  const read = await readAtOneTip({ node, index }, offered, fundingUtxos, () => {})
  const [named, ...others] = read.outputs
  if (!named) throw new Error(`no answer about ${outpoint}`)
  const exposed = requireSpendable(named, read)
  const funding = requireBuyerOutputs(others, read.tip.height, needed, CODE)
  const places = requirePlaces(read, funding.length > 0)
  const layout = layOutSelfSpend({
    exposed: exposed.input,
    funding: funding.map(({ input }) => input),
    ...scripts,
    lastOffset: lastOf(places),
    isSoldBySats: places.length === 0 && asks.some(sellsSats),
    feeRate,
  })
  if (layout.outcome !== 'laid-out') throw refusedLayout(layout, outpoint)
  const { inputs, outputs } = layout
  return {
    psbt: spendPsbt({
      version: VERSION,
      locktime: NO_LOCKTIME,
      inputs: inputs.map((input) => ({ ...input, sequence: REPLACEABLE_SEQUENCE })),
      outputs,
      previous: await previousTransactions(node, read.outputs, CODE),
    }),
    inputOutpoints: inputs.map((input) => input.outpoint),
    outputScriptsHex: outputs.map(({ scriptHex }) => scriptHex),
    outputValuesSats: outputs.map(({ valueSats }) => valueSats),
    networkFeeSats: layout.feeSats.toString(),
    feeRateSatsPerVb: feeRateText(feeRate),
    estimatedVbytes: layout.vbytes.toString(),
    changeSats: layout.changeSats.toString(),
    inscriptions: places.map(({ id, offset }) => ({ id, offset })),
    checkpoint: {
      height: read.tip.height,
      hash: read.tip.hash,
      assetIndexHeight: read.indexAt.height,
    },
    notices: selfSpendNotices({
      layout,
      named,
      assumed: assumedOf([exposed, ...funding]),
      funding,
      needed,
    }),
  }
}

/** @throws RefusalError SELF_SPEND_REFUSED */
function scriptsOf(request: SelfSpendRequest, network: Network): Scripts {
  const { destinationAddress, changeAddress = destinationAddress } = request
  const destination = scriptOfAddress(destinationAddress, network)
  const change = scriptOfAddress(changeAddress, network)
  if (destination !== null && change !== null) {
    return { destinationScriptHex: destination, changeScriptHex: change }
  }
  const wrong = [
    ...(destination === null ? ['destinationAddress'] : []),
    ...(change === null && request.changeAddress !== undefined ? ['changeAddress'] : []),
  ]
  throw new RefusalError(
    CODE,
    wrong.map((field) => `${field}: is not an address of ${network}`),
  )
}

function requireDistinct(funding: readonly Outpoint[], exposed: OutpointText): void {
  const texts = funding.map(outpointText)
  const reasons = [
    ...(texts.includes(exposed) ? [`${exposed} is the output itself`] : []),
    ...texts
      .filter((text, at) => texts.indexOf(text) !== at)
      .map((text) => `${text} is named more than once`),
  ]
  if (reasons.length > 0) throw new RefusalError(CODE, [...new Set(reasons)])
}

interface Exposed {
  input: PurchaseInput
  isSizeAssumed: boolean
}

/** A spend in the mempool may be replaced, so it does not prevent this. */
function requireSpendable(named: NamedOutput, { tip }: OutputsAtTip): Exposed {
  const { outpoint, height } = named
  const text = outpointText(outpoint)
  const output = outputOf(named)
  if (output === null) {
    throw new RefusalError(CODE, `${text} is spent or was never there: nothing is left to end`)
  }
  if (height === null) {
    throw new RefusalError(CODE, `${text} is unconfirmed: no index knows what it holds`)
  }
  if (isImmature(named, tip.height)) {
    throw new RefusalError(CODE, `${text} is a coinbase output that is not mature yet`)
  }
  const usual = usualSpend(output.scriptHex)
  if (!usual) {
    throw new RefusalError(CODE, `${text}: the size of a spend of its script is unknown`)
  }
  return { input: { outpoint, output, spend: usual.size }, isSizeAssumed: usual.isAssumed }
}

/**
 * Where the inscriptions are. If the output keeps its value, none can be lost wherever they are:
 * their places are only shown.
 *
 * @throws RefusalError ASSET_INDEX_UNAVAILABLE for an output that is not examined yet
 */
function requirePlaces(read: OutputsAtTip, keepsValue: boolean): readonly InscriptionAt[] {
  const [named] = read.outputs
  const text = named ? outpointText(named.outpoint) : ''
  if (!named?.assets) {
    throw new RefusalError('ASSET_INDEX_UNAVAILABLE', `the index has not examined ${text} yet`)
  }
  if (read.places) return read.places
  if (keepsValue) return []
  const many = `${text} holds too many inscriptions to look up where each is`
  throw new RefusalError(CODE, `${many}: name fundingUtxos, so that it keeps its value`)
}

const lastOf = (places: readonly InscriptionAt[]): bigint | null =>
  places.reduce<bigint | null>((last, { offset }) => {
    const place = BigInt(offset)
    return last === null || place > last ? place : last
  }, null)

const assumedOf = (inputs: readonly Exposed[]): Outpoint[] =>
  inputs.filter(({ isSizeAssumed }) => isSizeAssumed).map(({ input }) => input.outpoint)

function refusedLayout(refusal: SelfSpendRefusal, outpoint: OutpointText): RefusalError {
  const instead = 'name fundingUtxos, so that it keeps its value, or a lower fee rate'
  switch (refusal.outcome) {
    case 'asset-in-fee': {
      const { offset, leftSats } = refusal
      const lost = `${outpoint} holds an inscription at offset ${offset}, and keeps ${leftSats} sats`
      return new RefusalError(CODE, `${lost}: it would be lost to the fee; ${instead}`)
    }
    case 'sats-in-fee': {
      const sold = `${outpoint} is offered without an inscription: any of its sats may be what is sold`
      return new RefusalError(CODE, `${sold}; name fundingUtxos, so that it keeps its value`)
    }
    case 'fee-too-high': {
      const { feeSats, mostSats } = refusal
      const much = `a fee of ${feeSats} sats is more than half of ${outpoint}, ${mostSats} sats`
      return new RefusalError(CODE, `${much}: ${instead}`)
    }
    case 'dust': {
      const { sats, leastSats } = refusal
      const dust = `the output of ${sats} sats is dust: the destination needs ${leastSats}`
      return new RefusalError(CODE, dust)
    }
    case 'dust-after-fee': {
      const { leftSats, leastSats } = refusal
      const dust = `${outpoint} would keep ${leftSats} sats, which is dust`
      return new RefusalError(CODE, `${dust}: the destination needs ${leastSats}; ${instead}`)
    }
    case 'insufficient-funds': {
      const missing = `${refusal.shortfallSats} sats are missing in fundingUtxos`
      return new RefusalError(CODE, `insufficient funds: ${missing}`)
    }
  }
}
