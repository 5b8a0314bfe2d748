import { outpointText } from '../../../src/domain/chain/outpoint.ts'
import { addressOfScript } from '../../../src/domain/script/address.ts'
import type { BuildAskResult } from '../../../src/schemas/api/listing.ts'
import type { PreflightResult, Quote } from '../../../src/schemas/api/purchase.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import { HonestClient } from '../abuse/honest-client.ts'
import type { HonestSkills, HonestWorld, LiveListing } from '../abuse/honest-market.ts'
import { honestAddress, Pace } from '../abuse/pace.ts'
import { serveParty } from '../abuse/party.ts'
import { askFor, type SellerCoin } from '../chain/seller-coins.ts'
import { signOwnInputs } from '../market/buyer.ts'
import { signedByScure } from '../market/listing.ts'
import { saleEvent } from '../orders/sale-event.ts'

// Sellers that list, buyers that prepare purchases: at a steady pace, each from a network of its
// own. Readers have a process of their own (readers.ts): signing would delay the clock that times
// their answers.

const LIST_EVERY_MS = 700
const BUY_EVERY_MS = 900

let world: HonestWorld
let client: HonestClient
const live: LiveListing[] = []
const pace = new Pace((error) => client.wrong(error))

const walletAddress = (scriptHex: string): string => addressOfScript(scriptHex, 'regtest') ?? ''

async function list(n: number): Promise<void> {
  const coin = world.sellers.shift()
  if (!coin) return client.wrong('the sellers have no coins left: open them with more')
  const from = honestAddress(2, n)
  const ways = [importAsk, buildAndPublish, tellEvent]
  const listed = await ways[n % ways.length]?.(coin, from)
  if (!listed) return
  if (listed.order.state === 'LIVE') live.unshift({ id: listed.order.id, psbt: listed.psbt, coin })
  else client.wrong(`listed and ${listed.order.state}: ${listed.order.validation.reasons}`)
}

interface Listed {
  order: OrderSummary
  psbt: string
}

async function importAsk(coin: SellerCoin, from: string): Promise<Listed | null> {
  const psbt = askFor(coin)
  const order = await client.post<OrderSummary>('import', 'orders/import', { psbt }, from)
  return order && { order, psbt }
}

async function buildAndPublish(coin: SellerCoin, from: string): Promise<Listed | null> {
  const { outpoint, wallet } = coin
  const build = await client.post<BuildAskResult>(
    'publish',
    'orders/build',
    {
      protocolId: 'rare-sats',
      token: 'HONEST',
      quotedPriceSats: '25000',
      sellerPaymentAddress: walletAddress(wallet.scriptHex),
      outpoint,
    },
    from,
  )
  if (!build) return null
  const psbt = signedByScure(build.psbt, wallet)
  const order = await client.post<OrderSummary>('publish', 'orders/publish', { psbt }, from)
  return order && { order, psbt }
}

async function tellEvent(coin: SellerCoin, from: string): Promise<Listed | null> {
  const psbt = askFor(coin)
  const tags = [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['u', outpointText(coin.outpoint)],
    ['s', '25000'],
  ]
  const event = saleEvent(psbt, tags, { createdAt: Math.floor(Date.now() / 1_000) })
  const path = 'orders/portable-event'
  const order = await client.post<OrderSummary>('portable-event', path, event, from)
  return order && { order, psbt }
}

async function buy(n: number): Promise<void> {
  const offer = live[n % Math.min(live.length, 20)]
  if (!offer) return
  const from = honestAddress(3, n)
  if (n % 2 === 0) {
    const path = `orders/${offer.id}/revalidate`
    const order = await client.post<OrderSummary>('revalidate', path, {}, from)
    if (order && order.state !== 'LIVE') client.wrong(`revalidated and ${order.state}`)
    return
  }
  const [one, two, ...funding] = world.buyers
  if (!one || !two) throw new Error('a buyer needs two paddings')
  const [receives, pays] = [one, two].map(({ wallet }) => walletAddress(wallet.scriptHex))
  const quote = await client.post<Quote>(
    'quote',
    `orders/${offer.id}/quote`,
    {
      assetReceiveAddress: receives,
      paymentAddress: pays,
      paddingUtxos: [one.outpoint, two.outpoint],
      fundingUtxos: funding.map(({ outpoint }) => outpoint),
    },
    from,
  )
  if (!quote) return
  const signedPsbt = signOwnInputs(quote.psbt, world.buyers)
  const path = `orders/${offer.id}/preflight`
  const checked = await client.post<PreflightResult>('preflight', path, { signedPsbt }, from)
  if (checked && !checked.allowed) client.wrong(`preflight: ${checked.rejectReason}`)
}

const skills: HonestSkills = {
  open: (given) => {
    world = given
    client = new HonestClient(given.address)
  },
  work: () => {
    pace.every(LIST_EVERY_MS, list)
    pace.every(BUY_EVERY_MS, buy)
  },
  rest: () => pace.rest(),
  report: () => client.report(),
  listed: (count) => live.slice(0, count),
}
serveParty(skills)
