import type { Devnet } from '../../devnet/devnet.ts'
import { completeAsk, makeBid } from '../../devnet/people/trade.ts'
import {
  type Account,
  accountOf,
  type WalletCoin,
  type WalletScriptType,
} from '../../devnet/people/wallet.ts'
import { type ProtocolPlay, playedOutput } from '../../devnet/protocol-play.ts'
import type { ImportRequest } from '../../schemas/api/api.ts'
import type { Outpoint } from '../../schemas/scalars.ts'

const POSTAGE = 10_000n
const PADDING = 600n
const FUNDING = 2_000_000n

/** Imports one order into the running service. */
export type Import = (request: ImportRequest) => Promise<unknown>

/**
 * A small book for a new devnet: asks of every script type, a bid, an order that claims what it
 * does not hold, one whose output a mempool purchase spends, and one that was paid and mined.
 */
export async function seedBook(devnet: Devnet, importOrder: Import): Promise<void> {
  const buyer = accountOf('bob', 'p2wpkh')

  await importOrder(inscribed(devnet, 'alice', 'p2tr', 'a first inscription', 50_000n))
  await importOrder(inscribed(devnet, 'carol', 'p2wpkh', 'hello.sats', 21_000n, 'names'))
  await importOrder(inscribed(devnet, 'dave', 'p2sh-p2wpkh', '{"p":"brc-20"}', 33_000n, 'brc20'))
  await importOrder(plain(devnet, 'erin', 'p2wsh-multisig', 120_000n, 'rare-sats'))
  await importOrder(bid(devnet, buyer))
  await importOrder({
    ...plain(devnet, 'mallory', 'p2wpkh', 456n * 1_000n, 'inscriptions'),
    sourceId: 'a claim without its inscription',
  })

  const conflicted = inscribed(devnet, 'frank', 'p2wpkh', 'sold twice?', 40_000n)
  await importOrder(conflicted)
  const settled = inscribed(devnet, 'grace', 'p2tr', 'sold once', 60_000n)
  await importOrder(settled)
  devnet.submit(purchase(devnet, settled.psbt, buyer))
  devnet.mine(1)
  // For the API examples: bob's payment outputs for a quote, and judy's coins to list.
  for (const sats of [PADDING, PADDING, 200_000n]) fund(devnet, buyer, sats)
  fund(devnet, accountOf('judy', 'p2wpkh'), POSTAGE)
  devnet.submit(purchase(devnet, conflicted.psbt, buyer))
}

/**
 * Objects in every state, and circles of 2, 3 and 16 members with an open lineage and a closed one.
 */
export async function seedProtocols(play: ProtocolPlay): Promise<void> {
  const oak = playedOutput(await play.createObject('oak'))
  const pine = playedOutput(await play.createObject('pine'))
  const willow = playedOutput(await play.createObject('willow'))
  await play.pairObjects(oak, pine)
  await play.releaseObject(willow)
  await play.createObject('rose')
  const two = await play.circle(2)
  const three = await play.circle(3, two.outpoints)
  await play.circle(16)
  await play.closeLineage(playedOutput(three))
}

function inscribed(
  devnet: Devnet,
  label: string,
  type: WalletScriptType,
  text: string,
  price: bigint,
  protocolId = 'inscriptions',
): ImportRequest {
  const seller = accountOf(label, type)
  const { inscriptionId, outpoint } = devnet.inscribe(seller.address, {
    contentType: 'text/plain;charset=utf-8',
    body: Buffer.from(text),
    postage: POSTAGE,
  })
  const psbt = seller.ask(coinAt(seller, outpoint, POSTAGE), payTo(seller, price))
  return { psbt, asset: { inscriptionId, outpoint }, protocolId, sourceId: `seed:${label}` }
}

function plain(
  devnet: Devnet,
  label: string,
  type: WalletScriptType,
  price: bigint,
  protocolId: string,
): ImportRequest {
  const seller = accountOf(label, type)
  const coin = coinAt(seller, devnet.fund(seller.address, POSTAGE), POSTAGE)
  return { psbt: seller.ask(coin, payTo(seller, price)), protocolId, sourceId: `seed:${label}` }
}

function bid(devnet: Devnet, buyer: Account): ImportRequest {
  const seller = accountOf('heidi', 'p2tr')
  const { outpoint } = devnet.inscribe(seller.address, {
    contentType: 'text/plain;charset=utf-8',
    body: Buffer.from('wanted'),
    postage: POSTAGE,
  })
  const wanted = coinAt(seller, outpoint, POSTAGE)
  const psbt = makeBid({
    wanted,
    seller,
    buyer,
    funding: fund(devnet, buyer, FUNDING),
    priceSats: 75_000n,
  })
  return { psbt, protocolId: 'inscriptions', source: 'asset-offers', sourceId: 'seed:bob' }
}

function purchase(devnet: Devnet, ask: string, buyer: Account): string {
  return completeAsk({
    ask,
    buyer,
    paddings: [fund(devnet, buyer, PADDING), fund(devnet, buyer, PADDING)],
    funding: fund(devnet, buyer, FUNDING),
    receiveScriptHex: accountOf('bob', 'p2tr').scriptHex,
  })
}

const fund = (devnet: Devnet, account: Account, sats: bigint): WalletCoin =>
  coinAt(account, devnet.fund(account.address, sats), sats)

const coinAt = ({ scriptHex }: Account, outpoint: Outpoint, sats: bigint): WalletCoin => ({
  outpoint,
  scriptHex,
  valueSats: sats.toString(),
})

const payTo = ({ scriptHex }: Account, sats: bigint) => ({ scriptHex, valueSats: sats.toString() })
