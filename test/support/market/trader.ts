import { networks, Psbt } from 'bitcoinjs-lib'
import type { Devnet } from '../../../src/devnet/devnet.ts'
import {
  type Account,
  accountOf,
  type WalletCoin,
  type WalletScriptType,
} from '../../../src/devnet/people/wallet.ts'
import type { Quote } from '../../../src/schemas/api/purchase.ts'
import type { OrderSummary } from '../../../src/schemas/order.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import type { Market } from './market.ts'

export interface Listing {
  order: OrderSummary
  offered: WalletCoin
  inscriptionId: string
  /** The position of the inscription's sat in the offered output. */
  offset: bigint
}

export const devnetOf = (market: Market): Devnet => {
  const { devnet } = market.authorities
  if (!devnet) throw new Error('this test needs the devnet')
  return devnet
}

/** A confirmed coin of an account. */
export function coinOf(market: Market, account: Account, sats: bigint): WalletCoin {
  const outpoint = devnetOf(market).fund(account.address, sats)
  return { outpoint, scriptHex: account.scriptHex, valueSats: sats.toString() }
}

/** An inscription on offer; with an offset it lies inside its output. */
export async function listInscription(
  market: Market,
  {
    type = 'p2tr',
    offset = 0n,
    priceSats = 50_000n,
    contentType = 'text/plain',
    body = 'for sale',
  }: ListingTerms = {},
): Promise<Listing> {
  const devnet = devnetOf(market)
  const seller = accountOf('seller', type)
  const inscribed = devnet.inscribe(seller.address, {
    contentType,
    body: Buffer.from(body),
    postage: 10_000n,
  })
  const coin = { scriptHex: seller.scriptHex, valueSats: '10000', outpoint: inscribed.outpoint }
  const offered = offset === 0n ? coin : pushed(market, seller, coin, offset)
  const payout = { scriptHex: seller.scriptHex, valueSats: priceSats.toString() }
  const psbt = seller.ask(offered, payout)
  const { status, body: answer } = await market.post('orders/import', { psbt })
  const order: OrderSummary = answer
  if (status !== 201 || order.state !== 'LIVE') throw new Error(JSON.stringify(answer))
  return { order, offered, inscriptionId: inscribed.inscriptionId, offset }
}

export interface ListingTerms {
  type?: WalletScriptType
  offset?: bigint
  priceSats?: bigint
  contentType?: string
  body?: string | Uint8Array
}

/** The inscribed coin again, with `offset` sats before its own. */
function pushed(market: Market, owner: Account, coin: WalletCoin, offset: bigint): WalletCoin {
  const before = coinOf(market, owner, offset)
  const fee = coinOf(market, owner, 5_000n)
  const valueSats = (BigInt(coin.valueSats) + offset).toString()
  const hex = spendAll([before, coin, fee], owner, [{ scriptHex: owner.scriptHex, valueSats }])
  const txid = devnetOf(market).submit(hex)
  devnetOf(market).mine(1)
  return { outpoint: { txid, vout: 0 }, scriptHex: owner.scriptHex, valueSats }
}

/** A transaction of one owner's coins, hex; what the outputs leave is the fee. */
export function spendAll(coins: readonly WalletCoin[], owner: Account, outputs: readonly TxOut[]) {
  const psbt = new Psbt({ network: networks.regtest })
  for (const coin of coins) psbt.addInput(owner.input(coin))
  for (const { scriptHex, valueSats } of outputs) {
    psbt.addOutput({ script: Buffer.from(scriptHex, 'hex'), value: BigInt(valueSats) })
  }
  return owner
    .sign(
      psbt,
      coins.map((_, at) => at),
    )
    .extractTransaction(true)
    .toHex()
}

/** The buyer's wallet: adds what it knows of its own inputs, and signs them. */
export function signQuote(quote: Quote, buyer: Account, coins: readonly WalletCoin[]): Psbt {
  const psbt = Psbt.fromBase64(quote.psbt, { network: networks.regtest })
  const own = quote.inputOutpoints.flatMap((outpoint, at) => {
    const coin = coins.find(
      (one) => one.outpoint.txid === outpoint.txid && one.outpoint.vout === outpoint.vout,
    )
    if (!coin) return []
    const { hash, index, sequence, witnessUtxo, ...known } = buyer.input(coin)
    psbt.updateInput(at, known)
    return [at]
  })
  return buyer.sign(psbt, own)
}
