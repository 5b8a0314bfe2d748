import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { BuildAskResult } from '../../../src/schemas/api/listing.ts'
import type { Quote } from '../../../src/schemas/api/purchase.ts'
import type { OrderPage, OrderSummary } from '../../../src/schemas/order.ts'
import type { SellerCoin } from '../chain/seller-coins.ts'
import { openApiClient } from '../market/api-client.ts'
import { signedByScure } from '../market/listing.ts'
import { saleEvent } from '../orders/sale-event.ts'

/**
 * An owner builds, publishes and announces, a buyer asks for a quote: all answers, without what
 * distinguishes one output from another.
 */
export async function sellAndQuote(
  address: string,
  { outpoint, wallet }: SellerCoin,
  buyer: readonly SellerCoin[],
): Promise<object> {
  const api = openApiClient(address)
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await api.post(path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const addressOf = (coin: SellerCoin | undefined) =>
    addressOfScript(coin?.wallet.scriptHex ?? '', 'regtest') ?? ''
  const build = await post<BuildAskResult>('orders/build', {
    protocolId: 'rare-sats',
    token: 'OWNED',
    quotedPriceSats: '25000',
    sellerPaymentAddress: addressOfScript(wallet.scriptHex, 'regtest') ?? '',
    outpoint,
  })
  const psbt = signedByScure(build.psbt, wallet)
  const published = await post<OrderSummary>('orders/publish', { psbt })
  const tags = [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['u', outpointText(outpoint)],
  ]
  const told = await post<OrderSummary>('orders/portable-event', saleEvent(psbt, tags))
  const [one, two, ...funding] = buyer
  const quote = await post<Quote>(`orders/${published.id}/quote`, {
    assetReceiveAddress: addressOf(one),
    paymentAddress: addressOf(two),
    paddingUtxos: [one?.outpoint, two?.outpoint],
    fundingUtxos: funding.map((coin) => coin.outpoint),
  })
  const listed = (await api.get(`orders?seller=${wallet.scriptHex}`)).body as OrderPage
  const shownOf = ({
    state,
    actionability,
    token,
    sources,
    validation,
    quotedPriceSats,
  }: OrderSummary) => ({
    state,
    actionability,
    token,
    sources: sources.map(({ source }) => source),
    reasons: validation.reasons,
    quotedPriceSats,
  })
  return {
    build: [build.inspection.orderClass, build.inspection.reasons],
    published: shownOf(published),
    told: shownOf(told),
    isOneOrder: told.id === published.id,
    quote: [quote.sellerProceedsSats, quote.totalBuyerCostSats, quote.notices],
    listed: [listed.total, listed.orders.map(shownOf)],
  }
}
