import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { LiveOrder } from '../../../src/actors/sweep/renewal-pass.ts'
import { MAX_DOUBTED, openRenewer } from '../../../src/actors/sweep/renewer.ts'
import { digestOfHoldings } from '../../../src/domain/assets/holdings.ts'
import type { AssetIndex } from '../../../src/ports/authorities/asset-index.ts'
import {
  IndexUnavailableError,
  NodeUnavailableError,
} from '../../../src/ports/authorities/authority-errors.ts'
import type { FullNode } from '../../../src/ports/authorities/full-node.ts'
import { RenewalRecord } from '../../../src/schemas/log.ts'
import {
  chainStatus,
  contentsOf,
  indexStatus,
  indexWith,
  inTurn,
  nodeWith,
  unspentAnswer,
} from '../../support/chain/scripted-authorities.ts'
import { toOrderId, toOutpointText } from '../../support/ids.ts'
import { MemoryLog } from '../../support/log/memory-log.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import {
  blockAt,
  hash,
  INSCRIPTION,
  OUTPUT_BLOCK,
  TIP_HEIGHT,
} from '../../support/orders/evidence.ts'

const RUNE = { name: 'UNCOMMON•GOODS', amount: '5' }
const HELD = { inscriptionIds: [INSCRIPTION], runes: [RUNE] }
const LAST = toOrderId('f'.repeat(64))
const notThere = indexStatus({ tip: blockAt(OUTPUT_BLOCK.height - 1) })
const liveOrder = (n: number, changes: Partial<LiveOrder> = {}): LiveOrder => ({
  id: toOrderId(n.toString(16).padStart(64, '0')),
  outpoint: toOutpointText(`${hash(`output ${n}`)}:0`),
  block: OUTPUT_BLOCK,
  holds: digestOfHoldings(HELD),
  ...changes,
})

interface Said {
  node?: Partial<FullNode>
  index?: Partial<AssetIndex> | null
  orders?: LiveOrder[]
}

/** Asks one question, and lets time pass until it is answered. */
async function ask({ node = {}, index = {}, orders = [liveOrder(0)] }: Said) {
  const log = new MemoryLog()
  const clock = new ManualClock()
  const faults: unknown[] = []
  const renewer = openRenewer({
    node: nodeWith({ outputs: async (asked) => asked.map(() => unspentAnswer()), ...node }),
    index:
      index &&
      indexWith({ contents: async (asked) => asked.map(() => contentsOf(HELD)), ...index }),
    log,
    clock,
    onFault: (error) => faults.push(error),
  })
  renewer.renew({ partition: 3, after: null, upTo: LAST, begunAt: { epoch: 1, n: 4 }, orders })
  for (let turn = 0; log.records.length === 0 && turn < 500; turn += 1) {
    await setImmediate()
    if (turn % 10 === 9) clock.advance(5_000)
  }
  await setImmediate()
  const { size } = renewer
  await renewer.close()
  return { records: log.records, faults, size }
}
const doubtedBy = async (said: Said): Promise<string[]> => {
  const { records } = await ask(said)
  expect(records).toHaveLength(1)
  return RenewalRecord.parse(records[0]?.value).doubted
}

describe('a question about many LIVE orders', () => {
  test('is answered in their partition: all are as they were', async () => {
    const orders = [liveOrder(0), liveOrder(1)]
    const { records, size } = await ask({ orders })
    expect(records).toMatchObject([{ topic: 'orders.inbox', partition: 3 }])
    expect(RenewalRecord.parse(records[0]?.value)).toMatchObject({
      after: null,
      upTo: LAST,
      begunAt: { epoch: 1, n: 4 },
      tip: blockAt(TIP_HEIGHT),
      doubted: [],
    })
    expect(size).toBe(0)
  })

  test.each<[string, Said]>([
    [
      'spent in the mempool',
      { node: { outputs: async () => [unspentAnswer({ status: 'spent-in-mempool' as never })] } },
    ],
    ['nowhere', { node: { outputs: async () => [{ status: 'absent' }] } }],
    ['unconfirmed', { node: { outputs: async () => [unspentAnswer({ confirmations: 0 })] } }],
    [
      'in a block of another height',
      { node: { outputs: async () => [unspentAnswer({ confirmations: 102 })] } },
    ],
    [
      'read at another tip',
      { node: { outputs: async () => [unspentAnswer({ bestBlock: hash('x') })] } },
    ],
    [
      'in another block',
      { orders: [liveOrder(0, { block: { ...OUTPUT_BLOCK, hash: hash('x') } })] },
    ],
    ['in no block by its order', { orders: [liveOrder(0, { block: null })] }],
    ['unknown to the index', { index: { contents: async () => [null] } }],
    [
      'not examined',
      { index: { contents: async () => [contentsOf({ ...HELD, indexed: false })] } },
    ],
    [
      'spent, says the index',
      { index: { contents: async () => [contentsOf({ ...HELD, spent: true })] } },
    ],
    [
      'without its inscription',
      { index: { contents: async () => [contentsOf({ runes: [RUNE] })] } },
    ],
    [
      'with another inscription',
      {
        index: {
          contents: async () => [contentsOf({ ...HELD, inscriptionIds: [INSCRIPTION, 'other'] })],
        },
      },
    ],
    [
      'with other runes',
      {
        index: {
          contents: async () => [contentsOf({ ...HELD, runes: [{ ...RUNE, amount: '6' }] })],
        },
      },
    ],
    [
      'no longer indexed for runes',
      { index: { contents: async () => [contentsOf({ ...HELD, runes: null })] } },
    ],
    ['no longer examined by an index', { index: null }],
    [
      'never examined, until an index says what it holds',
      { orders: [liveOrder(0, { holds: null })] },
    ],
  ])('doubts an order whose output is %s', async (_, said) => {
    expect(await doubtedBy(said)).toEqual([liveOrder(0).id])
  })

  test('without an index relies on the node alone where no index ever examined it', async () => {
    expect(await doubtedBy({ index: null, orders: [liveOrder(0, { holds: null })] })).toEqual([])
  })

  test('names a bounded number of doubted orders, and goes only as far as these', async () => {
    const orders = Array.from({ length: 500 }, (_, n) => liveOrder(n))
    const node = { outputs: async () => orders.map(() => ({ status: 'absent' as const })) }
    const { records } = await ask({ node, orders })
    const { doubted, upTo } = RenewalRecord.parse(records[0]?.value)
    expect(doubted).toHaveLength(MAX_DOUBTED)
    expect(upTo).toBe(orders[MAX_DOUBTED - 1]?.id)
  })

  test('of which none is left asks for no output', async () => {
    const unasked = async (): Promise<never> => {
      throw new Error('asked')
    }
    expect(
      await doubtedBy({ orders: [], node: { outputs: unasked }, index: { contents: unasked } }),
    ).toEqual([])
  })

  test('is asked again when the tip moved, so that all answers are of one tip', async () => {
    const old = chainStatus({ tip: { ...blockAt(TIP_HEIGHT - 1), medianTime: 1, time: 1 } })
    const chain = inTurn(old, chainStatus(), chainStatus(), chainStatus())
    const { records } = await ask({ node: { chain } })
    expect(records).toMatchObject([{ value: { tip: blockAt(TIP_HEIGHT), doubted: [] } }])
  })

  test.each<[string, Said]>([
    [
      'the node is unavailable',
      {
        node: {
          chain: inTurn(new NodeUnavailableError('node_unavailable', 'x') as never, chainStatus()),
        },
      },
    ],
    [
      'the index is unavailable',
      {
        index: {
          contents: inTurn(new IndexUnavailableError('asset_index_unreachable', 'x') as never, [
            contentsOf(HELD),
          ]),
        },
      },
    ],
    [
      'the index is on another chain',
      {
        index: {
          status: inTurn(indexStatus({ tip: blockAt(TIP_HEIGHT, 'stale') }), indexStatus()),
        },
      },
    ],
    [
      'the index is another one meanwhile',
      { index: { status: inTurn(indexStatus({ version: 'ord 0' }), indexStatus()) } },
    ],
    [
      'the index has not read the block of an output',
      {
        index: {
          status: inTurn(notThere, notThere, indexStatus()),
          contents: inTurn([null], [contentsOf(HELD)]),
        },
      },
    ],
  ])('waits while %s', async (_, said) => {
    const { records, faults } = await ask(said)
    expect(records).toMatchObject([{ value: { doubted: [] } }])
    expect(faults).toEqual([])
  })

  test('that fails by a defect is asked again, and the defect is reported', async () => {
    const defect = new TypeError('a defect')
    const { records, faults } = await ask({
      index: { status: inTurn(defect as never, indexStatus()) },
    })
    expect(faults).toEqual([defect])
    expect(records).toHaveLength(1)
  })

  test('is no longer answered once the renewer closes', async () => {
    const log = new MemoryLog()
    const clock = new ManualClock()
    const away = async (): Promise<never> => {
      throw new NodeUnavailableError('node_unavailable', 'away')
    }
    const node = nodeWith({ chain: away })
    const renewer = openRenewer({ node, index: null, log, clock, onFault: () => {} })
    const question = { partition: 0, after: null, upTo: LAST, begunAt: { epoch: 1, n: 0 } }
    renewer.renew({ ...question, orders: [liveOrder(0)] })
    expect(renewer.size).toBe(1)
    await renewer.close()
    expect(log.records).toEqual([])
  })
})
