import { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderSummary } from '../../src/schemas/order.ts'
import { walletOf } from '../support/chain/keys.ts'
import { coinOf, txOut } from '../support/chain/wallet.ts'
import { toBlockHash } from '../support/ids.ts'
import type { BuyerCoin } from '../support/market/buyer.ts'
import { type MadeAsk, makeAsk } from '../support/orders/psbt-orders.ts'
import { BUYER_COINS, openServiceBook, type ServiceBook } from '../support/services/service-book.ts'

let book: ServiceBook
let coins: BuyerCoin[]
beforeAll(async () => {
  book = await openServiceBook()
  coins = await book.coins(BUYER_COINS)
})
afterAll(() => book?.close())

const refused = async (made: MadeAsk) => book.refusal(await book.purchase(made, { coins }))
const standing = ({ state, validation }: OrderSummary) => [state, ...validation.reasons]
const tip = async () => (await book.chain.node.chain()).tip

/** Pending, and the node does not accept a purchase either. */
async function waits(made: MadeAsk, until: number): Promise<string> {
  const order = await book.imported(made.psbt)
  expect(standing(order)).toEqual(['PENDING_NODE', `not_final_until ${until}`])
  expect(await refused(made)).toMatch(/non-final|non-BIP68-final|premature/)
  return order.id
}

async function stillWaits(id: string): Promise<void> {
  await book.followed()
  expect((await book.market.order(id)).state).toBe('PENDING_NODE')
}

/** LIVE by itself, and the node accepts a purchase. */
async function becomesLive(id: string, made: MadeAsk): Promise<void> {
  await book.market.orderUntil(id, ({ state }) => state === 'LIVE')
  expect(await refused(made)).toBeNull()
}

describe('a waiting order is LIVE by itself when its time has come', () => {
  test('for a height', async () => {
    const { height } = await tip()
    // The ask is made one block later, and requires three more.
    const made = await book.ask({ locktime: height + 4 })
    const id = await waits(made, height + 5)
    await book.mine(2)
    await stillWaits(id)
    await book.mine()
    await becomesLive(id, made)
  })

  test('for the age of its output, in blocks', async () => {
    const made = await book.ask({ sequence: 3 })
    const { height } = await tip()
    const id = await waits(made, height + 3)
    await book.mine()
    await stillWaits(id)
    await book.mine()
    await becomesLive(id, made)
  })

  test('for the age of its output, in seconds', async () => {
    const before = await tip()
    const made = await book.ask({ sequence: 0x400001 })
    const id = await waits(made, before.medianTime + 512)
    await book.chain.core.rpc('setmocktime', before.medianTime + 2_000)
    await book.mine(12)
    await book.chain.core.rpc('setmocktime', 0)
    await becomesLive(id, made)
  })

  test('for a time', async () => {
    const { medianTime } = await tip()
    const made = await book.ask({ locktime: medianTime + 1_000 })
    const id = await waits(made, medianTime + 1_001)
    await book.chain.core.rpc('setmocktime', medianTime + 3_000)
    await book.mine(12)
    await book.chain.core.rpc('setmocktime', 0)
    await becomesLive(id, made)
  })

  test('for the maturity of a coinbase', async () => {
    const seed = book.name()
    const [hash = ''] = await book.chain.mine(1, walletOf('p2tr', seed).scriptHex)
    const block = await book.chain.node.block(toBlockHash(hash))
    const coinbase = Transaction.fromHex(block?.transactions[0]?.hex ?? '')
    const { outpoint, output } = coinOf(coinbase, 0)
    const prevout = { ...outpoint, valueSats: output.valueSats }
    const made = makeAsk({ seed, prevout, payout: txOut(walletOf('p2tr', seed).scriptHex, 1_000n) })
    await book.chain.syncIndex()
    const id = await waits(made, (block?.height ?? 0) + 100)
    await book.mine(98)
    await stillWaits(id)
    await book.mine()
    await becomesLive(id, made)
  })

  test('for its output to be in a block', async () => {
    const seed = book.name()
    const { outpoint } = await book.miner.fund(walletOf('p2tr', seed).scriptHex, 10_000n)
    const made = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
    const order = await book.imported(made.psbt)
    expect(standing(order)).toEqual(['PENDING_ASSET', 'output_unconfirmed'])
    await book.mine()
    await becomesLive(order.id, made)
  })

  test('for its output to be made at all', async () => {
    const seed = book.name()
    const funding = book.miner.pay([txOut(walletOf('p2tr', seed).scriptHex, 10_000n)])
    const { outpoint } = coinOf(funding, 0)
    const made = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
    const order = await book.imported(made.psbt)
    expect(standing(order)).toEqual(['REJECTED', 'outpoint_missing'])
    await book.chain.submit(funding.toHex())
    await book.market.orderUntil(order.id, ({ state }) => state === 'PENDING_ASSET')
    await book.mine()
    await becomesLive(order.id, made)
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
