import { randomBytes } from 'node:crypto'
import type { Devnet } from '../../devnet/devnet.ts'
import { completeAsk } from '../../devnet/people/trade.ts'
import { type Account, accountOf, type WalletCoin } from '../../devnet/people/wallet.ts'
import type { ImportRequest } from '../../schemas/api/api.ts'

const POSTAGE_SATS = 10_000n
const PADDING_SATS = 600n
/** The buyer brings this much more than the price, which pays the fee; the rest is change. */
const SPARE_SATS = 50_000n

/** A new inscription with this text, and its owner's signed ask, to be imported like any other. */
export function offerOnDevnet(devnet: Devnet, text: string, priceSats: bigint): ImportRequest {
  const seller = accountOf(`seller-${randomBytes(4).toString('hex')}`, 'p2tr')
  const { inscriptionId, outpoint } = devnet.inscribe(seller.address, {
    contentType: 'text/plain;charset=utf-8',
    body: Buffer.from(text),
    postage: POSTAGE_SATS,
  })
  const { scriptHex } = seller
  const psbt = seller.ask(
    { outpoint, scriptHex, valueSats: POSTAGE_SATS.toString() },
    { scriptHex, valueSats: priceSats.toString() },
  )
  return { psbt, asset: { inscriptionId, outpoint }, protocolId: 'inscriptions' }
}

/**
 * Completes an ask with coins of a buyer and broadcasts it; the next block confirms it. The txid.
 *
 * @throws if it is no ask of one coin, or the node does not accept the purchase
 */
export function buyOnDevnet(devnet: Devnet, ask: string, priceSats: bigint): string {
  const buyer = accountOf('bob', 'p2wpkh')
  const paddings = [coin(devnet, buyer, PADDING_SATS), coin(devnet, buyer, PADDING_SATS)] as const
  const funding = coin(devnet, buyer, priceSats + SPARE_SATS)
  const receiveScriptHex = accountOf('bob', 'p2tr').scriptHex
  return devnet.submit(completeAsk({ ask, buyer, paddings, funding, receiveScriptHex }))
}

const coin = (devnet: Devnet, { address, scriptHex }: Account, sats: bigint): WalletCoin => ({
  outpoint: devnet.fund(address, sats),
  scriptHex,
  valueSats: sats.toString(),
})
