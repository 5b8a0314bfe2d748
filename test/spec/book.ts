import { createHash } from 'node:crypto'
import { Psbt } from 'bitcoinjs-lib'
import { completeAsk, makeBid } from '../../src/devnet/people/trade.ts'
import { accountOf, type WalletCoin } from '../../src/devnet/people/wallet.ts'
import { addressOfScript } from '../../src/domain/script/address.ts'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { type Market, openMarket } from '../support/market/market.ts'
import { moderate } from '../support/market/moderate.ts'
import { coinOf, devnetOf, spendAll } from '../support/market/trader.ts'
import { proveOwnership } from '../support/orders/ownership-proof.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { saleEvent } from '../support/orders/sale-event.ts'

/** The operator's description of these markets. */
export const OPERATOR_TOKEN = '0defaced'.repeat(8)

/** A market on a devnet of its own, without limits that a test would reach by chance. */
export const openSpecMarket = (variables: Record<string, string> = {}): Promise<Market> =>
  openMarket({
    RATE_LIMIT_WITHDRAW: '100000',
    RATE_LIMIT_QUOTE: '100000',
    RATE_LIMIT_PREFLIGHT: '100000',
    RATE_LIMIT_OPERATOR: '100000',
    OPERATOR_TOKENS: `mia:${createHash('sha256').update(OPERATOR_TOKEN).digest('hex')}`,
    ...variables,
  })

const seller = accountOf('seller', 'p2wpkh')
const buyer = accountOf('buyer', 'p2wpkh')
const payout = { scriptHex: seller.scriptHex, valueSats: '50000' }

/** An ask of a new coin; its PSBT, signed. */
export function newAsk(market: Market): { offered: WalletCoin; psbt: string } {
  const offered = coinOf(market, seller, 10_000n)
  return { offered, psbt: seller.ask(offered, payout) }
}

/** An ask of a new inscription. */
export function newAssetAsk(market: Market) {
  const content = { contentType: 'text/plain', body: Buffer.from('for sale'), postage: 10_000n }
  const { outpoint, inscriptionId } = devnetOf(market).inscribe(seller.address, content)
  const offered = { outpoint, scriptHex: seller.scriptHex, valueSats: '10000' }
  return { offered, psbt: seller.ask(offered, payout), asset: { inscriptionId, outpoint } }
}

/** A final purchase of an ask, hex. */
export const purchaseOf = (market: Market, psbt: string): string =>
  completeAsk({
    ask: psbt,
    buyer,
    paddings: [coinOf(market, buyer, 600n), coinOf(market, buyer, 600n)],
    funding: coinOf(market, buyer, 1_000_000n),
    receiveScriptHex: accountOf('buyer', 'p2tr').scriptHex,
  })

export async function imported(market: Market, body: object): Promise<OrderSummary> {
  const answer = await market.post('orders/import', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}

/** An ask of a wallet that can prove that it owns what it offers. */
export async function ownedAsk(market: Market, seed: string) {
  const wallet = walletOf('p2tr', seed)
  const address = addressOfScript(wallet.scriptHex, 'regtest') ?? ''
  const outpoint = devnetOf(market).fund(address, 10_000n)
  const { psbt } = makeAsk({ script: 'p2tr', seed, prevout: { ...outpoint, valueSats: '10000' } })
  return { psbt, wallet, address, order: await imported(market, { psbt }) }
}

/** The order withdrawn by the owner of its output. */
export async function withdrawnBySeller(market: Market, seed: string, reason?: string) {
  const { order, wallet, address } = await ownedAsk(market, seed)
  const challenge = (await market.get(`orders/${order.id}/ownership-challenge`)).body
  const { message } = challenge as { message: string }
  const answer = await market.post(`orders/${order.id}/withdraw`, {
    address,
    signature: proveOwnership(wallet, message).text,
    ...(reason === undefined ? {} : { reason }),
  })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body as OrderSummary
}

/** One order of every kind and state, as the service answered it, by kind. */
export async function wholeBook(market: Market): Promise<Record<string, OrderSummary>> {
  const devnet = devnetOf(market)
  const { psbt, asset } = newAssetAsk(market)
  const inscribed = await imported(market, {
    psbt,
    asset: { ...asset, inscriptionNumber: 7_777 },
    source: 'asset-offers',
    sourceId: 'offer 1',
    protocolId: 'inscriptions',
    token: 'punk',
    claimedPriceSats: 1,
  })
  const plain = await imported(market, { psbt: newAsk(market).psbt })

  const sold = newAssetAsk(market)
  const { inscriptionId, outpoint } = sold.asset
  const tags = [
    ['n', 'regtest'],
    ['t', 'sell'],
    ['i', inscriptionId],
    ['u', `${outpoint.txid}:${outpoint.vout}`],
    ['s', '50000'],
  ]
  const event: OrderSummary = (
    await market.post('orders/portable-event', saleEvent(sold.psbt, tags))
  ).body

  const bid = await imported(market, {
    psbt: makeBid({
      wanted: coinOf(market, seller, 10_000n),
      seller,
      buyer,
      funding: coinOf(market, buyer, 100_000n),
      priceSats: 20_000n,
    }),
  })
  const unsigned = await imported(market, { psbt: unsignedAsk(newAsk(market).offered) })
  const forged = await imported(market, { psbt: forgedAsk(newAsk(market).psbt) })
  const missing = await imported(market, { psbt: makeAsk().psbt })
  const elsewhere = await imported(market, { psbt: newAsk(market).psbt, asset })

  const unconfirmed = devnet.fund(seller.address, 10_000n, { confirm: false })
  const coin = { outpoint: unconfirmed, scriptHex: seller.scriptHex, valueSats: '10000' }
  const pendingAsset = await imported(market, { psbt: seller.ask(coin, payout) })
  devnet.mine(1)

  const bought = newAsk(market).psbt
  const { id: boughtId } = await imported(market, { psbt: bought })
  devnet.submit(purchaseOf(market, bought))
  const conflicted = await market.orderUntil(boughtId, ({ state }) => state !== 'LIVE')
  devnet.mine(1)
  const settled = await market.orderUntil(boughtId, ({ state }) => state === 'SETTLED')

  const moved = newAsk(market)
  const { id: movedId } = await imported(market, { psbt: moved.psbt })
  devnet.submit(spendAll([moved.offered], seller, [{ ...payout, valueSats: '9000' }]))
  devnet.mine(1)
  const spent = await market.orderUntil(movedId, ({ state }) => state === 'SPENT')

  const withdrawn = await withdrawnBySeller(market, 'ada', 'changed my mind')
  const { id: stolen } = await imported(market, { psbt: newAsk(market).psbt })
  const { body: moderated } = await moderate(market, stolen, {}, OPERATOR_TOKEN)

  const late = newAsk(market).psbt
  devnet.stopNode()
  const pendingNode = await imported(market, { psbt: late })
  devnet.startNode()

  return {
    inscribed,
    plain,
    event,
    bid,
    unsigned,
    forged,
    missing,
    elsewhere,
    pendingAsset,
    conflicted,
    settled,
    spent,
    withdrawn,
    moderated,
    pendingNode,
  }
}

function unsignedAsk(offered: WalletCoin): string {
  const psbt = new Psbt()
  psbt.addInput(seller.input(offered))
  psbt.addOutput({ script: Buffer.from(payout.scriptHex, 'hex'), value: BigInt(payout.valueSats) })
  return psbt.toBase64()
}

/** A finalised ask with another payout, unsigned. */
export function forgedAsk(signed: string): string {
  const psbt = Psbt.fromBase64(signed)
  const [input] = psbt.data.inputs
  const [offered] = psbt.txInputs
  if (!input?.witnessUtxo || !input.finalScriptWitness || !offered) throw new Error('no ask')
  const { witnessUtxo, finalScriptWitness } = input
  const forged = new Psbt()
  forged.addInput({ ...offered, witnessUtxo, finalScriptWitness })
  forged.addOutput({ script: Buffer.from(payout.scriptHex, 'hex'), value: 50_001n })
  return forged.toBase64()
}
