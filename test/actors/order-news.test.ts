import { describe, expect, test } from 'vitest'
import {
  blockAt,
  evidenceOf,
  indexAway,
  MISSING,
  nodeSays,
  OUTPUT_BLOCK,
  proved,
  spendBlock,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../support/orders/evidence.ts'
import { Life } from '../support/orders/life.ts'
import { buyer, live, output, rechecked, spend, thief } from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

describe('news of the chain', () => {
  test('RBF: a conflict is replaced by a transaction that leaves the output alone [spec 3 row 1]', () => {
    const life = new Life(liveOrder())
    life.tell(spend('SEEN', thief))
    expect(life.order).toMatchObject({
      state: 'MEMPOOL_CONFLICTED',
      reason: `mempool_conflict ${thief.txid}`,
      validation: { nodeStatus: 'OUTPOINT_SPENT' },
    })
    life.tell(spend('DROPPED', thief))
    life.answer(live)
    expect(life.states).toEqual(['MEMPOOL_CONFLICTED', 'LIVE'])
    expect(life.order.spend).toBeNull()
  })

  test('RBF: a conflict is replaced by another conflict, whichever is reported first', () => {
    const removedFirst = new Life(liveOrder())
    const addedFirst = new Life(liveOrder())
    for (const news of [spend('SEEN', thief), spend('DROPPED', thief), spend('SEEN', buyer)])
      removedFirst.tell(news)
    for (const news of [spend('SEEN', thief), spend('SEEN', buyer), spend('DROPPED', thief)])
      addedFirst.tell(news)
    for (const life of [removedFirst, addedFirst]) {
      expect(life.order).toMatchObject({
        state: 'MEMPOOL_CONFLICTED',
        spend: { txid: buyer.txid },
        settlement: { txid: buyer.txid, confirmations: 0 },
      })
    }
  })

  test('a settlement is seen, confirmed, and keeps the time when it was first seen', () => {
    const life = new Life(liveOrder())
    life.tell({ ...spend('SEEN', buyer), at: '2030-01-01T00:00:01.000Z' })
    life.tell({ ...spend('CONFIRMED', buyer), at: '2030-01-01T00:00:09.000Z' })
    expect(life.states).toEqual(['MEMPOOL_CONFLICTED', 'SETTLED'])
    expect(life.order.settlement).toEqual({
      txid: buyer.txid,
      observedAt: '2030-01-01T00:00:01.000Z',
      confirmations: 1,
      confirmedAt: '2027-01-15T08:00:00.000Z',
    })
  })

  test('a spend confirmed by a block without having been seen', () => {
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', thief))
    expect(life.order).toMatchObject({ state: 'SPENT', reason: 'spent', spend: thief })
    expect(life.order).not.toHaveProperty('settlement')
  })

  test('each record repeated, as after a crash, changes nothing the second time', () => {
    const life = new Life(liveOrder())
    for (const news of [
      spend('SEEN', buyer),
      spend('CONFIRMED', buyer),
      spend('UNCONFIRMED', buyer),
    ]) {
      life.tell(news)
      expect(life.tell(news).change).toBeNull()
    }
  })

  test('the mempool does not contradict a block', () => {
    for (const [confirmed, other, state] of [
      [buyer, thief, 'SETTLED'],
      [thief, buyer, 'SPENT'],
    ] as const) {
      const life = new Life(liveOrder())
      life.tell(spend('CONFIRMED', confirmed))
      life.tell(spend('SEEN', other))
      life.tell(spend('DROPPED', confirmed))
      expect(life.order).toMatchObject({ state, spend: confirmed, pending: null })
    }
  })

  test('a block that spends the output does not hide in which one it was made', () => {
    const life = new Life(liveOrder({ indexProof: proved() }))
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeSays({ output: spentBy(thief) }) }))
    expect(life.order).toMatchObject({
      state: 'SPENT',
      outputBlock: OUTPUT_BLOCK,
      indexProof: proved(),
    })
  })

  test('news of a block that the order does not rest on is old', () => {
    const life = new Life(liveOrder())
    const elsewhere = { ...buyer, block: spendBlock(TIP_HEIGHT, 'stale') }
    life.tell(spend('CONFIRMED', buyer))
    life.tell(spend('UNCONFIRMED', elsewhere))
    expect(life.order.state).toBe('SETTLED')
    const other = new Life(liveOrder())
    other.tell(output('UNCONFIRMED', blockAt(OUTPUT_BLOCK.height, 'stale')))
    other.tell(output('CONFIRMED', OUTPUT_BLOCK))
    expect(other.order).toMatchObject({ state: 'LIVE', pending: null })
  })
})

describe('a reorg', () => {
  test('16: settled, out of its block, settled again in another: every passage is in the log', () => {
    const again = { ...buyer, block: spendBlock(TIP_HEIGHT + 1, 'fork') }
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', buyer))
    life.tell(spend('UNCONFIRMED', buyer))
    expect(life.order).toMatchObject({
      state: 'MEMPOOL_CONFLICTED',
      spend: { txid: buyer.txid, block: null },
      settlement: { txid: buyer.txid, confirmations: 0 },
    })
    expect(life.order.settlement).not.toHaveProperty('confirmedAt')
    life.tell(spend('CONFIRMED', again))
    expect(life.states).toEqual(['SETTLED', 'MEMPOOL_CONFLICTED', 'SETTLED'])
    expect(life.order.spend?.block).toEqual(again.block)
  })

  test('17: settled, out of its block, then spent by another transaction', () => {
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', buyer))
    life.tell(spend('UNCONFIRMED', buyer))
    life.tell(spend('DROPPED', buyer))
    life.tell(spend('CONFIRMED', { ...thief, block: spendBlock(TIP_HEIGHT, 'fork') }))
    expect(life.states).toEqual(['SETTLED', 'MEMPOOL_CONFLICTED', 'SPENT'])
    expect(life.order.spend?.txid).toBe(thief.txid)
    const spenders = life.steps.map(({ change }) => change?.set.spend?.txid)
    expect(spenders).toEqual([buyer.txid, buyer.txid, undefined, thief.txid])
  })

  test('spent, out of its block and gone: LIVE again by a fresh verdict', () => {
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', thief))
    life.tell(spend('UNCONFIRMED', thief))
    life.tell(spend('DROPPED', thief))
    life.answer(live)
    life.answer(live)
    expect(life.states).toEqual(['SPENT', 'MEMPOOL_CONFLICTED', 'LIVE'])
  })

  test('the output loses its block and gets another: examined again before it is LIVE', () => {
    const life = new Life(liveOrder({ indexProof: proved() }))
    life.tell(output('UNCONFIRMED', OUTPUT_BLOCK))
    expect(life.order).toMatchObject({
      state: 'PENDING_ASSET',
      reason: 'output_unconfirmed',
      outputBlock: null,
      indexProof: null,
    })
    const moved = blockAt(OUTPUT_BLOCK.height + 1, 'fork')
    life.tell(output('CONFIRMED', moved))
    life.answer(live)
    life.answer(evidenceOf({ node: nodeSays({ output: unspent({ block: moved }) }) }))
    expect(life.states).toEqual(['PENDING_ASSET', 'LIVE'])
    expect(life.order.outputBlock).toEqual(moved)
  })

  test('the output is gone, and judged again when it appears', () => {
    const life = new Life(liveOrder())
    life.tell(output('GONE'))
    expect(life.order).toMatchObject({ state: 'REJECTED', reason: 'outpoint_missing' })
    life.answer(evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) }))
    expect(life.tell(output('SEEN')).asks).toBe(true)
    life.answer(
      evidenceOf({
        node: nodeSays({ output: unspent({ block: null }) }),
        index: indexAway('asset_index_not_asked'),
      }),
    )
    expect(life.order.state).toBe('PENDING_ASSET')
  })
})
