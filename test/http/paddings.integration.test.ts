import { Transaction } from '@scure/btc-signer'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ErrorResponse } from '../../src/schemas/api/errors.ts'
import { TransactionPlan } from '../../src/schemas/api/outputs/paddings.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { type ScriptKind, type Wallet, walletOf } from '../support/chain/keys.ts'
import { toTxid } from '../support/ids.ts'
import { addressOf, inscribedFor } from '../support/market/listing.ts'
import { type Market, ORDERS_ONLY, openMarket } from '../support/market/market.ts'
import { signedHex } from '../support/market/sign-all.ts'
import { devnetOf } from '../support/market/trader.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket({ ...ORDERS_ONLY, RATE_LIMIT_QUOTE: '100000' })
})
afterAll(() => market.end())
afterEach(() => {
  vi.restoreAllMocks()
  devnetOf(market).startNode()
  devnetOf(market).startIndex()
})

const text = ({ txid, vout }: Outpoint) => `${txid}:${vout}`
let wallets = 0
const newWallet = (kind: ScriptKind = 'p2wpkh'): Wallet => walletOf(kind, `padded ${++wallets}`)
const fund = (wallet: Wallet, sats: bigint) => devnetOf(market).fund(addressOf(wallet), sats)

const send = (owner: Wallet, fundingUtxos: readonly Outpoint[], changes: object = {}) =>
  market.post('operations/paddings', {
    paymentAddress: addressOf(owner),
    fundingUtxos,
    feeRateSatsPerVb: '2',
    ...changes,
  })

async function plan(...asked: Parameters<typeof send>): Promise<TransactionPlan> {
  const { status, body } = await send(...asked)
  expect(status, JSON.stringify(body)).toBe(201)
  return TransactionPlan.parse(body)
}
async function refusal(...asked: Parameters<typeof send>): Promise<string> {
  const { status, body } = await send(...asked)
  const { code, message }: ErrorResponse = body
  expect([status, code]).toEqual([400, 'OPERATION_REFUSED'])
  return [message].flat().join('; ')
}

describe('paddings', () => {
  test.each(['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const)(
    'of %s are two of 600 sats and the change, all of the buyer, and a quote takes them',
    async (kind) => {
      const owner = newWallet(kind)
      const funding = fund(owner, 100_000n)
      const made = await plan(owner, [funding])
      const { scriptHex } = owner
      const address = addressOf(owner)
      expect(made).toMatchObject({
        inputs: [{ outpoint: funding, valueSats: '100000', scriptHex, role: 'BUYER_FUNDING' }],
        outputs: [
          { valueSats: '600', scriptHex, address, role: 'PADDING' },
          { valueSats: '600', scriptHex, address, role: 'PADDING' },
          { valueSats: made.changeSats, scriptHex, address, role: 'CHANGE' },
        ],
        toSign: [{ inputIndex: 0, address, scriptHex, sighash: 'ALL' }],
        feeRateSatsPerVb: '2',
      })
      expect(BigInt(made.changeSats) + BigInt(made.networkFeeSats)).toBe(98_800n)
      const hex = signedHex(made.psbt, owner)
      const signed = Transaction.fromRaw(Buffer.from(hex, 'hex'), { disableScriptCheck: true })
      expect([signed.version, signed.lockTime, signed.getInput(0).sequence]).toEqual([
        2, 0, 0xfffffffd,
      ])
      expect(Math.abs(signed.vsize - Number(made.estimatedVbytes))).toBeLessThanOrEqual(1)
      const txid = devnetOf(market).confirm(hex)
      if (kind !== 'p2sh-p2wpkh') expect(txid).toBe(made.unsignedTxid)

      const seller = walletOf('p2tr', `seller to ${kind}`)
      const { outpoint } = inscribedFor(market, seller)
      const ask = makeAsk({
        seed: `seller to ${kind}`,
        prevout: { ...outpoint, valueSats: '10000' },
        payout: { scriptHex: seller.scriptHex, valueSats: '50000' },
      })
      const { body: order } = await market.post('orders/import', { psbt: ask.psbt })
      const out = (vout: number) => ({ txid, vout })
      const quoted = await market.post(`orders/${(order as { id: string }).id}/quote`, {
        assetReceiveAddress: addressOf(newWallet('p2tr')),
        paymentAddress: address,
        paddingUtxos: [out(0), out(1)],
        fundingUtxos: [out(2)],
        feeRateSatsPerVb: '2',
      })
      expect(quoted).toMatchObject({ status: 201, body: { paddingSats: '1200' } })
    },
  )

  test('have the asked number and size, and are paid by as few outputs as are enough', async () => {
    const owner = newWallet()
    const coins = [fund(owner, 1_000n), fund(owner, 9_000n), fund(owner, 9_000n)]
    const made = await plan(owner, coins, { count: 3, sats: '1000' })
    expect(made.inputs.map(({ outpoint }) => outpoint)).toEqual(coins.slice(0, 2))
    expect(made.outputs.map(({ valueSats }) => valueSats).slice(0, 3)).toEqual(
      Array.from({ length: 3 }, () => '1000'),
    )
  })

  test('whose change would be dust give it to the fee, and say so', async () => {
    const owner = newWallet()
    const made = await plan(owner, [fund(owner, 1_700n)])
    expect(made).toMatchObject({ changeSats: '0', networkFeeSats: '500' })
    expect(made.notices.map(({ code }) => code)).toContain('CHANGE_FOLDED_INTO_FEE')
  })
})

describe('paddings are not made', () => {
  test('from an output that holds an inscription, or that an order offers', async () => {
    const owner = walletOf('p2tr', 'collector')
    const { inscriptionId, outpoint } = inscribedFor(market, owner)
    const held = `${text(outpoint)} holds the inscription ${inscriptionId}`
    expect(await refusal(owner, [outpoint])).toBe(held)
    const { psbt } = makeAsk({ seed: 'collector', prevout: { ...outpoint, valueSats: '10000' } })
    const { id } = (await market.post('orders/import', { psbt })).body as { id: string }
    expect(await refusal(owner, [outpoint, fund(owner, 50_000n)])).toBe(
      `${held}; ${text(outpoint)} is offered by the order ${id}: withdraw that order, or name another output`,
    )
  })

  test('from one that holds a rune', async () => {
    const owner = newWallet()
    const coin = fund(owner, 50_000n)
    const runes = [{ name: 'UNCOMMON', amount: '7' }]
    const { index } = market.gateway
    if (!index) throw new Error('the market has an index')
    const contents = index.contents.bind(index)
    vi.spyOn(index, 'contents').mockImplementation(async (...given) =>
      (await contents(...given)).map((one) => one && { ...one, runes }),
    )
    expect(await refusal(owner, [coin])).toBe(`${text(coin)} holds the rune UNCOMMON`)
  })

  test('from one that is spent, unknown, unconfirmed or named twice', async () => {
    const owner = newWallet()
    const spent = fund(owner, 50_000n)
    devnetOf(market).confirm(signedHex((await plan(owner, [spent])).psbt, owner))
    const unknown = { txid: toTxid('ab'.repeat(32)), vout: 7 }
    const open = fund(owner, 50_000n)
    const txid = devnetOf(market).submit(signedHex((await plan(owner, [open])).psbt, owner))
    const young = { txid, vout: 0 }
    expect(await refusal(owner, [spent, unknown, open, young])).toBe(
      [
        `${text(spent)} is spent or was never there`,
        `${text(unknown)} is spent or was never there`,
        `${text(open)} is spent in the mempool by ${txid}`,
        `${text(young)} is unconfirmed`,
      ].join('; '),
    )
    expect(await refusal(owner, [unknown, unknown])).toBe(
      `${text(unknown)} is named more than once`,
    )
    devnetOf(market).mine(1)
  })

  test('that would be dust, for another network, below the least rate, or for too little', async () => {
    const owner = newWallet()
    const coin = fund(owner, 1_300n)
    expect(await refusal(owner, [coin], { sats: '293' })).toBe(
      'sats: an output of 293 is dust, the script of paymentAddress needs 294',
    )
    const mainnet = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    expect(await refusal(owner, [coin], { paymentAddress: mainnet })).toBe(
      'paymentAddress: is not an address of regtest',
    )
    expect(await refusal(owner, [coin], { feeRateSatsPerVb: '0' })).toContain('feeRateSatsPerVb')
    expect(await refusal(owner, [coin])).toBe(
      'insufficient funds: 182 sats are missing in fundingUtxos',
    )
  })

  test.each([
    ['fundingUtxos', { fundingUtxos: [] }],
    ['count', { count: 21 }],
    ['sats', { sats: '0600' }],
  ])('with a wrong %s', async (field, changes) => {
    const { status, body } = await send(newWallet(), [], changes)
    expect([status, (body as ErrorResponse).code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(JSON.stringify(body)).toContain(field)
  })

  test('while node or index is unavailable', async () => {
    const owner = newWallet()
    const coin = fund(owner, 50_000n)
    devnetOf(market).stopIndex()
    expect((await send(owner, [coin])).body).toMatchObject({ code: 'ASSET_INDEX_UNAVAILABLE' })
    devnetOf(market).stopNode()
    expect((await send(owner, [coin])).body).toMatchObject({ code: 'NODE_UNAVAILABLE' })
  })
})
