import { createHash } from 'node:crypto'
import { script as bitcoinScript, Psbt, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { witnessBytes } from '../../src/domain/verdict/node-question.ts'
import { OutputsChecked } from '../../src/schemas/api/outputs/check.ts'
import { Exposure } from '../../src/schemas/api/outputs/exposure.ts'
import { SelfSpend } from '../../src/schemas/api/outputs/self-spend.ts'
import type { Outpoint, TxOut } from '../../src/schemas/scalars.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { secretOf, walletOf } from '../support/chain/keys.ts'
import { bytesOf, hexOf, txOut } from '../support/chain/wallet.ts'
import { addressOf, tweakedSecret } from '../support/market/listing.ts'
import { signedHex } from '../support/market/sign-all.ts'
import { makeAsk, SINGLE_ANYONECANPAY } from '../support/orders/psbt-orders.ts'
import { highS } from '../support/scripts/high-s.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

// Bitcoin Core accepts a self-spend, and ord finds the inscription where it said.

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 30 })
})
afterAll(() => book?.close())

const text = ({ txid, vout }: Outpoint) => `${txid}:${vout}`

test('an output is exposed to its cheapest ask until its owner spends it', async () => {
  const seed = book.name()
  const seller = walletOf('p2tr', seed)
  const { ids, coin } = await inscribe(book.chain, book.miner, txOut(seller.scriptHex, 10_000n))
  await book.mine()
  const { outpoint } = coin
  const asks = ['30000', '20000'].map((valueSats) =>
    makeAsk({
      seed,
      prevout: { ...outpoint, valueSats: '10000' },
      payout: { scriptHex: seller.scriptHex, valueSats },
    }),
  )
  for (const { psbt } of asks) expect((await book.imported(psbt)).state).toBe('LIVE')
  const read = async () =>
    Exposure.parse((await book.market.get(`outpoints/${text(outpoint)}`)).body)
  expect(await read()).toMatchObject({
    output: { status: 'UNSPENT' },
    lowest: { now: { signedPriceSats: '20000' }, complete: true },
    total: 2,
  })

  const home = walletOf('p2wpkh', `${seed} home`)
  const { status, body } = await book.market.post(`outpoints/${text(outpoint)}/self-spend`, {
    destinationAddress: addressOf(home),
    feeRateSatsPerVb: '3',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const spend = SelfSpend.parse(body)
  expect(spend.inscriptions).toEqual([{ id: ids[0], offset: '0' }])
  const hex = signedHex(spend.psbt, seller)
  expect(await book.refusal(hex)).toBeNull()
  const txid = await book.chain.submit(hex)
  expect((await read()).output).toMatchObject({ status: 'SPENT_IN_MEMPOOL', spentBy: { txid } })
  await book.mine()
  await book.followed()
  expect(await read()).toMatchObject({
    output: { status: 'SPENT' },
    lowest: { now: null, ever: null },
    authorisations: [{ takeable: 'ENDED' }, { takeable: 'ENDED' }],
  })
  const moved = await book.market.gateway.index?.inscription(ids[0] ?? '')
  expect(moved?.satpoint).toEqual({ outpoint: { txid, vout: 0 }, offset: '0' })
})

// Each is a whole transaction by itself: its payout is below the value of its output.
const VALUE = 10_000n
const secret = secretOf('unrelayed')
const key = ecc.pointFromScalar(secret, true)!
const keyHash = createHash('ripemd160').update(createHash('sha256').update(key).digest()).digest()
const program = `0014${hexOf(keyHash)}`
const nested = createHash('ripemd160')
  .update(createHash('sha256').update(bytesOf(program)).digest())
  .digest()
const keyScript = bytesOf(`76a914${hexOf(keyHash)}88ac`)
const dropped = bytesOf(`7521${hexOf(key)}ac`)
const taproot = walletOf('p2tr', 'unrelayed').scriptHex
const annex = Uint8Array.of(0x50, 1)

const ecdsa = (half: Transaction, code: Uint8Array): Uint8Array => {
  const digest = half.hashForWitnessV0(0, code, VALUE, SINGLE_ANYONECANPAY)
  return bitcoinScript.signature.encode(ecc.sign(digest, secret), SINGLE_ANYONECANPAY)
}

interface Unrelayed {
  scriptHex: string
  reason: string
  /** The final witness that its owner hands out. */
  witness: (half: Transaction) => Uint8Array[]
  /** What anyone may add. */
  scriptSig?: Uint8Array
}

test.each<[string, Unrelayed]>([
  [
    'a high S',
    {
      scriptHex: program,
      reason: 'witness_not_standard',
      witness: (half) => [highS(ecdsa(half, keyScript)), key],
    },
  ],
  [
    'no scriptSig',
    {
      scriptHex: `a914${hexOf(nested)}87`,
      reason: 'script_sig_missing',
      witness: (half) => [ecdsa(half, keyScript), key],
      scriptSig: bytesOf(`16${program}`),
    },
  ],
  [
    'an annex',
    {
      scriptHex: taproot,
      reason: 'witness_not_standard',
      witness: (half) => {
        const sighash = SINGLE_ANYONECANPAY
        const scripts = [bytesOf(taproot)]
        const digest = half.hashForWitnessV1(0, scripts, [VALUE], sighash, undefined, annex)
        const owner = tweakedSecret(secretOf('unrelayed/0'))
        return [Uint8Array.of(...ecc.signSchnorr(digest, owner), sighash), annex]
      },
    },
  ],
  [
    'an item of 100 bytes',
    {
      scriptHex: `0020${createHash('sha256').update(dropped).digest('hex')}`,
      reason: 'witness_not_standard',
      witness: (half) => [ecdsa(half, dropped), new Uint8Array(100), dropped],
    },
  ],
])('%s: no node relays it, and a miner may take it', async (_, ask) => {
  const { scriptHex, scriptSig } = ask
  const { outpoint } = await book.miner.fund(scriptHex, VALUE)
  await book.mine()
  const half = new Transaction()
  half.version = 2
  half.addInput(bytesOf(outpoint.txid).reverse(), outpoint.vout, 0xfffffffd)
  half.addOutput(bytesOf(walletOf('p2wpkh', 'paid').scriptHex), 5_000n)
  const items = ask.witness(half)
  const psbt = handedOut(half, txOut(scriptHex, VALUE), items)
  expect(await book.imported(psbt)).toMatchObject({
    state: 'REJECTED',
    validation: { reasons: [ask.reason] },
  })
  half.setWitness(0, items)
  expect(await book.refusal(half.toHex())).not.toBeNull()

  if (scriptSig) half.setInputScript(0, scriptSig)
  const block = ['raw(51)', [half.toHex()], false]
  await expect(book.chain.core.rpc('generateblock', ...block)).resolves.toBeDefined()
  const { body } = await book.market.get(`outpoints/${text(outpoint)}`)
  expect(Exposure.parse(body)).toMatchObject({
    lowest: { now: { signedPriceSats: '5000' }, complete: true },
    authorisations: [{ takeable: 'NOW', reason: ask.reason }],
    unproved: [],
  })
})

/** A PSBT, base64, with this final witness and nothing beside it. */
function handedOut(half: Transaction, { scriptHex }: TxOut, items: Uint8Array[]): string {
  const witnessUtxo = { script: bytesOf(scriptHex), value: VALUE }
  const psbt = new Psbt().setVersion(half.version)
  const { hash, index, sequence } = half.ins[0]!
  psbt.addInput({ hash, index, sequence, witnessUtxo })
  psbt.addOutput({ script: half.outs[0]!.script, value: half.outs[0]!.value })
  psbt.updateInput(0, { finalScriptWitness: witnessBytes(items) })
  return psbt.toBase64()
}

test('a check distinguishes empty coins from all others', async () => {
  const [coin] = await book.coins([5_000n])
  if (!coin) throw new Error('there is no coin')
  const seller = walletOf('p2tr', book.name())
  const inscribed = await inscribe(book.chain, book.miner, txOut(seller.scriptHex, 10_000n))
  await book.mine()
  const { outpoint } = await book.live()
  const nowhere = { txid: 'ab'.repeat(32), vout: 7 }
  const outpoints = [coin.outpoint, inscribed.coin.outpoint, outpoint, nowhere]
  const { status, body } = await book.market.post('outpoints/check', { outpoints })
  expect(status, JSON.stringify(body)).toBe(201)
  const checked = OutputsChecked.parse(body)
  expect(checked.outputs.map(({ troubles }) => troubles.map(({ code }) => code))).toEqual([
    [],
    ['holds_inscription'],
    ['offered'],
    ['spent_or_unknown'],
  ])
  expect(checked.outputs.map(({ safe }) => safe)).toEqual([true, false, false, false])
})
