import { Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { inscribe } from '../support/chain/inscriptions.ts'
import { walletOf } from '../support/chain/keys.ts'
import { spend } from '../support/chain/spend.ts'
import { coinOf, txOut } from '../support/chain/wallet.ts'
import { makeAsk } from '../support/orders/psbt-orders.ts'
import {
  coinOfSeller,
  openServiceBook,
  type ServiceBook,
} from '../support/services/service-book.ts'

/** By itself ord can undo at most 17 blocks. */
const MANY_SAVEPOINTS = ['--max-savepoints=6']

let book: ServiceBook
beforeAll(async () => {
  book = await openServiceBook({ payments: 140, ordArgs: MANY_SAVEPOINTS })
})
afterAll(() => book?.close())

const becomes = (id: string, wanted: OrderState) =>
  book.market.orderUntil(id, ({ state }) => state === wanted)

/**
 * Disconnects this many blocks; their transactions return to the mempool, except those of the
 * deepest.
 */
async function takeBack(depth: number): Promise<string> {
  const { tip } = await book.chain.node.chain()
  const first = (await book.chain.node.blockHash(tip.height - depth + 1)) ?? ''
  await book.chain.invalidate(first)
  return first
}

/** Blocks that hold exactly these transactions, one list a block. */
async function branch(blocks: readonly (readonly string[])[]): Promise<string> {
  const hashes: string[] = []
  for (const transactions of blocks) hashes.push(await book.chain.mineExactly(transactions))
  return hashes[0] ?? ''
}

const empty = (blocks: number): string[][] => Array.from({ length: blocks }, () => [])

/** `invalidateblock` returns the transactions of this many blocks to the mempool. */
const GIVEN_BACK = 10
/** An order over an inscription that the index must find again after its rollback. */
async function inscribedOrder(): Promise<string> {
  const seed = book.name()
  const { coin } = await inscribe(
    book.chain,
    book.miner,
    txOut(walletOf('p2tr', seed).scriptHex, 10_000n),
  )
  await book.mine()
  const { psbt } = makeAsk({ seed, prevout: { ...coin.outpoint, valueSats: '10000' } })
  const { id, state, assets } = await book.imported(psbt)
  expect([state, assets.length]).toEqual(['LIVE', 1])
  return id
}

describe.each([1, 2, 6, 18])('a reorg of %i blocks', (depth) => {
  const isGivenBack = depth <= GIVEN_BACK

  test('undoes their transactions, and nothing else', async () => {
    const old = await inscribedOrder()
    const sold = await book.live()
    const taken = await book.live()
    const purchases = [await book.purchase(sold), await book.purchase(taken)]
    const seed = book.name()
    const funding = book.miner.pay([txOut(walletOf('p2tr', seed).scriptHex, 10_000n)])
    const { outpoint } = coinOf(funding, 0)
    const fresh = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })

    const doomed = [...purchases, funding.toHex()]
    for (const hex of doomed) await book.chain.submit(hex)
    const { id: freshId } = await book.imported(fresh.psbt)
    for (const { id } of [sold, taken]) await becomes(id, 'MEMPOOL_CONFLICTED')
    await book.mine(depth)
    const { settlement } = await becomes(sold.id, 'SETTLED')
    await becomes(taken.id, 'SETTLED')
    await becomes(freshId, 'LIVE')

    await takeBack(depth)
    const outputs = [txOut(walletOf('p2tr', 'elsewhere').scriptHex, 9_000n)]
    await branch([[spend({ inputs: [coinOfSeller(taken)], outputs })], ...empty(depth)])
    await book.chain.syncIndex()
    await becomes(sold.id, isGivenBack ? 'MEMPOOL_CONFLICTED' : 'LIVE')
    await becomes(freshId, isGivenBack ? 'PENDING_ASSET' : 'REJECTED')
    const other = await becomes(taken.id, 'SPENT')
    expect(other.settlement).toBeUndefined()
    // Longer than the interval between queries of the index, at any height: old orders get no news.
    await book.hasPassed(old, ['PENDING_NODE', 'LIVE'])

    if (!isGivenBack) for (const hex of [doomed[0], doomed[2]]) await book.chain.submit(hex ?? '')
    await book.mine()
    const again = await becomes(sold.id, 'SETTLED')
    expect(again.settlement).toMatchObject({ txid: settlement?.txid, confirmations: 1 })
    await becomes(freshId, 'LIVE')
    const passed = ['PENDING_NODE', 'LIVE', 'MEMPOOL_CONFLICTED', 'SETTLED'] as const
    await book.hasPassed(taken.id, [...passed, 'MEMPOOL_CONFLICTED', 'SPENT'])
    await book.hasPassed(old, ['PENDING_NODE', 'LIVE'])
  })
})

/** An ask over an output that is still in the mempool, with the transaction that creates it. */
function unborn() {
  const seed = book.name()
  const coin = book.miner.coin()
  const pays = (scriptHex: string, sats: bigint) =>
    book.miner.sign({ inputs: [coin], outputs: [txOut(scriptHex, sats)] }).toHex()
  const funding = pays(walletOf('p2tr', seed).scriptHex, 10_000n)
  const { outpoint } = coinOf(Transaction.fromHex(funding), 0)
  const { psbt } = makeAsk({ seed, prevout: { ...outpoint, valueSats: '10000' } })
  return { psbt, funding, rival: pays(book.miner.scriptHex, 20_000n) }
}

describe('a branch', () => {
  test('that spends what made the output: the output no longer exists', async () => {
    const { psbt, funding, rival } = unborn()
    await book.chain.submit(funding)
    await book.mine()
    const { id } = await book.imported(psbt)
    await takeBack(1)
    await branch([[rival], []])
    const gone = await becomes(id, 'REJECTED')
    expect(gone.validation.reasons).toEqual(['outpoint_missing'])
    expect((await book.market.get(`orders/${id}/artifact`)).status).toBe(400)
  })

  test('that is left again: all three switches are recorded, and the end state is the first one', async () => {
    const sold = await book.live()
    const { psbt, funding } = unborn()
    const purchase = await book.purchase(sold)
    await book.chain.submit(purchase)
    await book.chain.submit(funding)
    await becomes(sold.id, 'MEMPOOL_CONFLICTED')
    await book.mine(2)
    const { settlement } = await becomes(sold.id, 'SETTLED')
    const { id } = await book.imported(psbt)

    const first = await takeBack(2)
    const rival = await branch(empty(3))
    await becomes(sold.id, 'MEMPOOL_CONFLICTED')
    await becomes(id, 'PENDING_ASSET')

    await book.chain.invalidate(rival)
    await book.chain.reconsider(first)
    await branch(empty(2))
    await book.chain.syncIndex()
    const again = await becomes(sold.id, 'SETTLED')
    expect(again.settlement).toMatchObject({
      txid: settlement?.txid,
      confirmedAt: settlement?.confirmedAt,
    })
    await becomes(id, 'LIVE')
    const sale = ['MEMPOOL_CONFLICTED', 'SETTLED'] as const
    await book.hasPassed(sold.id, ['PENDING_NODE', 'LIVE', ...sale, ...sale])
    await book.hasPassed(id, ['PENDING_NODE', 'LIVE', 'PENDING_ASSET', 'LIVE'])
  })

  test('that the node switches to directly, without a lower tip in between', async () => {
    const sold = await book.live()
    const purchase = await book.purchase(sold)
    const first = await book.chain.mineExactly([purchase])
    const rival = { hash: '' }
    await book.restartMarket(async () => {
      await book.chain.invalidate(first)
      rival.hash = await branch(empty(3))
      await book.chain.invalidate(rival.hash)
      await book.chain.reconsider(first)
    })
    await becomes(sold.id, 'SETTLED')
    await book.chain.reconsider(rival.hash)
    await becomes(sold.id, 'MEMPOOL_CONFLICTED')
    await book.mine()
    await becomes(sold.id, 'SETTLED')
  })
})

describe('while the service was down', () => {
  test('a settlement reorged out, another mined, an output lost, an output spent', async () => {
    const [undone, untouched, bought] = [await book.live(), await book.live(), await book.live()]
    const { psbt, funding, rival } = unborn()
    const [early, late] = [await book.purchase(undone), await book.purchase(bought)]
    await book.chain.submit(funding)
    await book.chain.submit(early)
    await book.mine()
    const { id: lost } = await book.imported(psbt)
    await becomes(undone.id, 'SETTLED')
    await book.restartMarket(async () => {
      await takeBack(1)
      await branch([[rival, late], [], []])
      await book.chain.syncIndex()
    })
    await becomes(undone.id, 'MEMPOOL_CONFLICTED')
    await becomes(bought.id, 'SETTLED')
    await becomes(lost, 'REJECTED')
    expect((await book.market.order(untouched.id)).state).toBe('LIVE')
    await book.mine()
    await becomes(undone.id, 'SETTLED')
  })
})

test('every invariant holds on what was stored', async () => {
  expect(await book.audit()).toEqual([])
})
