import { describe, expect, test } from 'vitest'
import { askOutput } from '../../src/authorities/ask-output.ts'
import type { AssetIndex } from '../../src/ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../src/ports/authorities/authority-errors.ts'
import type {
  FoundTransaction,
  FullNode,
  OutputAnswer,
} from '../../src/ports/authorities/full-node.ts'
import type { Spend } from '../../src/schemas/evidence.ts'
import {
  contentsOf,
  foundIn,
  indexWith,
  inTurn,
  nodeWith,
  transactionOf,
  unspentAnswer,
} from '../support/chain/scripted-authorities.ts'
import {
  blockAt,
  hash,
  MEDIAN_TIME,
  OUTPUT_BLOCK,
  PAYOUT,
  PREVOUT,
  spendBlock,
  TIP_HEIGHT,
} from '../support/orders/evidence.ts'

const parent = transactionOf([{ txid: hash('coins'), vout: 0 }], [PREVOUT, PAYOUT])
const outpoint = { txid: parent.txid, vout: 0 }
const spender = transactionOf([{ txid: hash('padding'), vout: 3 }, outpoint], [PREVOUT, PAYOUT])
const STALE = blockAt(TIP_HEIGHT, 'stale')

const spend = (block: Spend['block']): Spend => ({
  txid: spender.txid,
  inputIndex: 1,
  unsignedTxid: spender.txid,
  pairedOutput: PAYOUT,
  block,
})
const BLOCK = { ...blockAt(TIP_HEIGHT), time: MEDIAN_TIME + TIP_HEIGHT }
const NOTHING = { spend: null, outputBlock: null }

const ask = (node: Partial<FullNode>, known = {}, index: AssetIndex | null = null) =>
  askOutput({ node: nodeWith(node), index, outpoint, known: { ...NOTHING, ...known } })

/** A node that knows these transactions, by its mempool and its transaction index. */
const knowing = (...found: FoundTransaction[]): Partial<FullNode> => ({
  transaction: async (txid) => found.find((one) => one.txid === txid) ?? null,
})

describe('an output that is unspent', () => {
  test('has the block that its confirmations count from', async () => {
    expect(await ask({ output: async () => unspentAnswer() })).toEqual({
      status: 'unspent',
      output: PREVOUT,
      coinbase: false,
      block: OUTPUT_BLOCK,
      priorMedianTime: null,
    })
  })

  test('in the tip needs no other hash', async () => {
    const found = await ask({
      output: async () => unspentAnswer({ confirmations: 1 }),
      blockHash: async () => null,
    })
    expect(found).toMatchObject({ block: blockAt(TIP_HEIGHT) })
  })

  test('in the mempool has no block', async () => {
    const found = await ask({ output: async () => unspentAnswer({ confirmations: 0 }) })
    expect(found).toMatchObject({ status: 'unspent', block: null })
  })

  test.each<[string, Partial<FullNode>]>([
    ['the best block that it was read at', { header: async () => null }],
    ['the block below it', { blockHash: async () => null }],
  ])('of a node that lost %s is not an answer', async (_, node) => {
    const asked = ask({ output: async () => unspentAnswer(), ...node })
    await expect(asked).rejects.toThrow(NodeUnavailableError)
  })
})

describe('an output that the mempool spends', () => {
  const conflicted: OutputAnswer = {
    status: 'spent-in-mempool',
    output: PREVOUT,
    coinbase: false,
    confirmations: 101,
    bestBlock: blockAt(TIP_HEIGHT).hash,
  }
  const spent = { mempoolSpenders: async () => [spender.txid], ...knowing(foundIn(spender, null)) }

  test('names its spender, with the output beside its input', async () => {
    expect(await ask({ output: async () => conflicted, ...spent })).toEqual({
      status: 'spent',
      confirmed: false,
      output: PREVOUT,
      block: OUTPUT_BLOCK,
      by: spend(null),
    })
  })

  test('by a transaction that is replaced between two queries is asked about again', async () => {
    const found = await ask({
      output: inTurn<OutputAnswer>(conflicted, conflicted, unspentAnswer()),
      mempoolSpenders: inTurn([spender.txid], [null]),
      ...knowing(),
    })
    expect(found.status).toBe('unspent')
  })

  test('by transactions that keep changing is not an answer', async () => {
    const asked = ask({ output: async () => conflicted, mempoolSpenders: async () => [null] })
    await expect(asked).rejects.toThrow(/keep changing/)
  })

  test('is known also while its own transaction is in the mempool', async () => {
    // gettxout knows neither it nor its absence.
    const found = await ask({
      ...spent,
      ...knowing(foundIn(spender, null), foundIn(parent, null)),
    })
    expect(found).toEqual({
      status: 'spent',
      confirmed: false,
      output: PREVOUT,
      block: null,
      by: spend(null),
    })
  })
})

describe('an output that gettxout does not know', () => {
  const origin = foundIn(parent, OUTPUT_BLOCK)

  test('is spent, by the spender index', async () => {
    const found = await ask({
      confirmedSpender: async () => ({ txid: spender.txid, blockHash: BLOCK.hash }),
      transaction: async (txid, blockHash) =>
        txid === spender.txid && blockHash === BLOCK.hash ? foundIn(spender, BLOCK) : null,
    })
    expect(found).toMatchObject({
      status: 'spent',
      confirmed: true,
      output: null,
      by: spend(BLOCK),
    })
  })

  test('is not spent by a block that a reorg made stale', async () => {
    const found = await ask({
      confirmedSpender: async () => ({ txid: spender.txid, blockHash: STALE.hash }),
      transaction: async (txid) => (txid === spender.txid ? foundIn(spender, STALE) : null),
    })
    expect(found.status).toBe('missing')
  })

  test("is spent, by the order's own log, while that block stands", async () => {
    const known = spend(spendBlock())
    expect(await ask({}, { spend: known })).toMatchObject({ status: 'spent', by: known })
    const stale = spend({ ...STALE, time: 1 })
    expect(await ask({}, { spend: stale })).toEqual({ status: 'missing' })
  })

  test.each([
    ['from the mempool', null],
    ['from a stale block', { ...STALE, time: 1 }],
  ])('is spent by the transaction that the log knows %s, mined meanwhile', async (_, block) => {
    const found = await ask(knowing(foundIn(spender, BLOCK)), { spend: spend(block) })
    expect(found).toMatchObject({ status: 'spent', by: spend(BLOCK) })
  })

  test('is spent by an unknown spender: by the transaction index', async () => {
    expect(await ask(knowing(origin))).toEqual({
      status: 'spent',
      confirmed: true,
      output: PREVOUT,
      block: null,
      by: null,
    })
  })

  test('is spent by an unknown spender: by the order’s own log of its block', async () => {
    const found = await ask({}, { outputBlock: OUTPUT_BLOCK })
    expect(found).toMatchObject({ status: 'spent', confirmed: true, by: null })
    expect(await ask({}, { outputBlock: STALE })).toEqual({ status: 'missing' })
  })

  test('is spent by an unknown spender: by the asset index', async () => {
    const index = indexWith({ contents: async () => [contentsOf({ spent: true })] })
    expect(await ask({}, {}, index)).toMatchObject({ status: 'spent', by: null })
  })

  test.each<[string, Partial<FullNode>, AssetIndex | null]>([
    ['is unknown', {}, indexWith({ contents: async () => [null] })],
    ['is unknown, and there is no index', {}, null],
    [
      'is unspent to an index that lags',
      {},
      indexWith({ contents: async () => [contentsOf({ spent: false })] }),
    ],
    [
      'is unknown, and the index is unavailable',
      {},
      indexWith({
        contents: async () => {
          throw new IndexUnavailableError('asset_index_unreachable', 'away')
        },
      }),
    ],
    ['was made in a stale block only', knowing(foundIn(parent, STALE)), null],
  ])('is missing when it %s', async (_, node, index) => {
    expect(await ask(node, {}, index)).toEqual({ status: 'missing' })
  })

  test.each([
    ['an index beyond its outputs', 2],
    ['the highest index there is', 0xffffffff],
  ])('of an existing transaction is missing at %s', async (_, vout) => {
    const found = await askOutput({
      node: nodeWith(knowing(origin)),
      index: null,
      outpoint: { txid: parent.txid, vout },
      known: NOTHING,
    })
    expect(found).toEqual({ status: 'missing' })
  })

  test('that can never be spent is missing, not spent', async () => {
    const burn = transactionOf([outpoint], [{ valueSats: '0', scriptHex: '6a0101' }])
    const found = await askOutput({
      node: nodeWith(knowing(foundIn(burn, OUTPUT_BLOCK))),
      index: null,
      outpoint: { txid: burn.txid, vout: 0 },
      known: NOTHING,
    })
    expect(found).toEqual({ status: 'missing' })
  })

  test('while its transaction waits in the mempool, unspent there, is asked about again', async () => {
    const found = await ask({
      output: inTurn<OutputAnswer>({ status: 'absent' }, unspentAnswer({ confirmations: 0 })),
      ...knowing(foundIn(parent, null)),
    })
    expect(found).toMatchObject({ status: 'unspent', block: null })
  })

  test('with a broken index: a defect is thrown', async () => {
    const broken = indexWith({
      contents: async () => {
        throw new TypeError('a defect')
      },
    })
    await expect(ask({}, {}, broken)).rejects.toThrow(TypeError)
  })
})
