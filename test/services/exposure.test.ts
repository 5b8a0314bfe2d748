import { afterAll, beforeAll, expect, test } from 'vitest'
import { OutputsChecked } from '../../src/schemas/api/outputs/check.ts'
import { Exposure } from '../../src/schemas/api/outputs/exposure.ts'
import { SelfSpend } from '../../src/schemas/api/outputs/self-spend.ts'
import type { Outpoint } from '../../src/schemas/scalars.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { txOut } from '../support/chain/wallet.ts'
import { addressOf } from '../support/market/listing.ts'
import { signedHex } from '../support/market/sign-all.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
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
