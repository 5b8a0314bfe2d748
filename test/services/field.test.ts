import { Psbt, payments, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { addressOfScript } from '../../src/domain/script/address.ts'
import { InspectResult } from '../../src/schemas/api/inspection.ts'
import type { PreflightResult, Quote } from '../../src/schemas/api/purchase.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { secretOf, walletOf } from '../support/chain/keys.ts'
import { coinOf, hexOf, txOut } from '../support/chain/wallet.ts'
import { fieldCase } from '../support/field/field-cases.ts'
import { runsToTrue } from '../support/field/script-machine.ts'
import { changePsbt, field } from '../support/orders/psbt-changes.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import { openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

// The cases of test/vectors/field that are steps on Bitcoin Core and ord.

const PREVIOUS = 0x00
const FINAL_SCRIPT_WITNESS = 0x08
const EMPTY_STACK = Uint8Array.of(0)

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 40 })
})
afterAll(() => book?.close())

test('large-inscription-with-previous-transaction: the copy that an inspection offers is LIVE', async () => {
  const { input, expected } = fieldCase('large-inscription-with-previous-transaction')
  const { inscriptionBytes } = z.object({ inscriptionBytes: z.int() }).parse(input)
  const seed = book.name()
  const owner = walletOf('p2tr', seed)
  const body = 'x'.repeat(inscriptionBytes)
  const { ids, coin, transactionsHex } = await inscribe(
    book.chain,
    book.miner,
    txOut(owner.scriptHex, 10_000n),
    [{ body }],
  )
  await book.mine()
  const [, reveal] = transactionsHex
  expect(reveal.length / 2).toBeGreaterThan(inscriptionBytes)
  const { psbt } = makeAsk({ seed, prevout: { ...coin.outpoint, valueSats: '10000' } })
  const whole = changePsbt(psbt, ({ inputs }) =>
    inputs[0]?.unshift(field(PREVIOUS, Buffer.from(reveal, 'hex'))),
  )
  const refused = await book.market.post('orders/import', { psbt: whole })
  const { code } = z.object({ code: z.string() }).parse(refused.body)
  expect({ status: refused.status, code }).toEqual(
    z.object({ import: z.unknown() }).parse(expected).import,
  )
  const asset = { inscriptionId: ids[0], outpoint: coin.outpoint }
  const found = await book.market.post('orders/inspect', { psbt: whole, asset })
  const { repaired, problems } = InspectResult.parse(found.body)
  expect(problems.map(({ code }) => code)).toEqual(['psbt_too_large'])
  expect(repaired?.verdict?.state).toBe(
    z.object({ repairedState: z.string() }).parse(expected).repairedState,
  )
  const order = await book.imported(repaired?.psbt ?? '', { asset })
  expect(order).toMatchObject({ id: repaired?.orderId, state: 'LIVE', assets: [asset] })
})

/** A buyer with one key, paid at a P2PKH address. */
function legacyBuyer() {
  const secret = secretOf(book.name())
  const publicKey = ecc.pointFromScalar(secret, true) ?? new Uint8Array()
  const { output = new Uint8Array() } = payments.p2pkh({ pubkey: publicKey })
  const sign = (digest: Uint8Array) => ecc.sign(digest, secret)
  return { publicKey, scriptHex: hexOf(output), sign }
}

test('preflight-electrum-legacy-payment: an empty final witness beside a final scriptSig is none', async () => {
  const { expected } = fieldCase('preflight-electrum-legacy-payment')
  const ask = await book.live()
  const buyer = legacyBuyer()
  const made = book.miner.pay([600n, 600n, 1_000_000n].map((sats) => txOut(buyer.scriptHex, sats)))
  await book.chain.submit(made.toHex())
  await book.mine()
  const [first, second, funds] = [0, 1, 2].map((vout) => coinOf(made, vout).outpoint)
  const asked = await book.market.post(`orders/${ask.id}/quote`, {
    assetReceiveAddress: addressOfScript(walletOf('p2tr', book.name()).scriptHex, 'regtest'),
    paymentAddress: addressOfScript(buyer.scriptHex, 'regtest'),
    paddingUtxos: [first, second],
    fundingUtxos: [funds],
  })
  expect(asked.status, JSON.stringify(asked.body)).toBe(201)
  const quote: Quote = asked.body
  const signed = Psbt.fromBase64(quote.psbt)
  const own = signed.data.inputs.flatMap((_, at) => (at === quote.sellerIndex ? [] : [at]))
  const previous = Transaction.fromHex(made.toHex()).toBuffer()
  for (const at of own) {
    if (!signed.data.inputs[at]?.nonWitnessUtxo)
      signed.updateInput(at, { nonWitnessUtxo: previous })
    signed.signInput(at, buyer)
    signed.finalizeInput(at)
  }
  const plain = signed.toBase64()
  const emptyWitness = changePsbt(plain, ({ inputs }) => {
    for (const at of own) inputs[at]?.push(field(FINAL_SCRIPT_WITNESS, EMPTY_STACK))
  })
  const answers: Record<string, unknown> = {}
  for (const [name, signedPsbt] of Object.entries({ plain, emptyWitness })) {
    const { status, body } = await book.market.post(`orders/${ask.id}/preflight`, { signedPsbt })
    const { allowed }: PreflightResult = body
    answers[name] = { status, ...(allowed !== undefined && { allowed }) }
  }
  expect(answers).toEqual(expected)
})

test('the script machine of the unit suite says what Bitcoin Core says', async () => {
  const { node } = book.chain
  for (const script of ['tapscript', 'p2wsh-other'] as const) {
    for (const version of [1, 2]) {
      const { psbt } = makeAsk({ script, seed: book.name(), version })
      const whole = Psbt.fromBase64(psbt)
      const broken = changePsbt(psbt, ({ inputs }) => {
        const witness = inputs[0]?.find(({ type }) => type === FINAL_SCRIPT_WITNESS)
        if (witness) witness.value[10] = (witness.value[10] ?? 0) ^ 1
      })
      for (const [text, isFinal] of [
        [whole.toBase64(), true],
        [broken, false],
      ] as const) {
        expect(await node.inputIsFinal(text, 0)).toBe(isFinal)
        expect(await runsToTrue(text, 0)).toBe(isFinal)
      }
    }
  }
})
