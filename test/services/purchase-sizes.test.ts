import { createHash } from 'node:crypto'
import { Transaction } from '@scure/btc-signer'
import { Transaction as BitcoinTransaction, script as bitcoinScript } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import { secretOf, walletOf } from '../support/chain/keys.ts'
import { bytesOf, hexOf } from '../support/chain/wallet.ts'
import { type BuyerCoin, signOwnInputs } from '../support/market/buyer.ts'
import { addressOf } from '../support/market/listing.ts'
import { SINGLE_ANYONECANPAY } from '../support/orders/psbt-orders.ts'
import { BUYER_COINS, openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

// Bitcoin Core measures a purchase by its signature operations where they weigh more than its bytes.

let book: ServiceBook
let coins: BuyerCoin[]
beforeAll(async () => {
  book = await openServiceBook({ payments: 10 })
  coins = await book.coins(BUYER_COINS)
})
afterAll(() => book?.close())

const secret = secretOf('sigops')
const key = ecc.pointFromScalar(secret, true)!

test('a witness script with many, in a branch that is not run', async () => {
  const script = bytesOf(`0063${'ae'.repeat(150)}6821${hexOf(key)}ac`)
  const scriptHex = `0020${createHash('sha256').update(script).digest('hex')}`
  const { outpoint } = await book.miner.fund(scriptHex, 10_000n)
  await book.mine()
  const payout = { script: bytesOf(walletOf('p2wpkh', 'sigops').scriptHex), amount: 25_000n }
  const bare = new BitcoinTransaction()
  bare.version = 2
  bare.addInput(bytesOf(outpoint.txid).reverse(), outpoint.vout, 0xfffffffd)
  bare.addOutput(payout.script, payout.amount)
  const digest = bare.hashForWitnessV0(0, script, 10_000n, SINGLE_ANYONECANPAY)
  const signature = bitcoinScript.signature.encode(ecc.sign(digest, secret), SINGLE_ANYONECANPAY)
  const ask = new Transaction({ version: 2, disableScriptCheck: true })
  ask.addInput({
    txid: outpoint.txid,
    index: outpoint.vout,
    sequence: 0xfffffffd,
    witnessUtxo: { script: bytesOf(scriptHex), amount: 10_000n },
    finalScriptWitness: [signature, script],
  })
  ask.addOutput(payout, true)
  const order = await book.imported(Buffer.from(ask.toPSBT()).toString('base64'))
  expect(order.state).toBe('LIVE')
  expect(await measured(order.id)).toBe(15_020)
})

/** What the node measures of a purchase at its least fee rate, as the quote estimated. */
async function measured(id: string): Promise<number> {
  const [first, second, ...funding] = coins.map(({ outpoint }) => outpoint)
  const quote = await book.market.post(`orders/${id}/quote`, {
    assetReceiveAddress: addressOf(walletOf('p2tr', 'receiver')),
    paymentAddress: addressOf(walletOf('p2wpkh', 'payer')),
    paddingUtxos: [first, second],
    fundingUtxos: funding,
    feeRateSatsPerVb: '0.1',
  })
  expect(quote.status, JSON.stringify(quote.body)).toBe(201)
  const { psbt, estimatedVbytes, networkFeeSats } = Quote.parse(quote.body)
  const signedPsbt = signOwnInputs(psbt, coins)
  const checked = await book.market.post(`orders/${id}/preflight`, { signedPsbt })
  const result = PreflightResult.parse(checked.body)
  expect(result).toMatchObject({ allowed: true, feesSats: networkFeeSats })
  expect(result.vsize).toBe(Number(estimatedVbytes))
  return result.vsize ?? 0
}
