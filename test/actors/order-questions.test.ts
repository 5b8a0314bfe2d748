import { describe, expect, test } from 'vitest'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import {
  askClaim,
  blockAt,
  evidenceOf,
  indexAway,
  indexSays,
  nodeAway,
  nodeSays,
  OUTPUT_BLOCK,
  proved,
  signatureOf,
  unspent,
} from '../support/orders/evidence.ts'
import { Life } from '../support/orders/life.ts'
import {
  begun,
  buyer,
  good,
  imported,
  live,
  mempoolOf,
  output,
  rechecked,
  revalidated,
  signedBy,
  spend,
  thief,
  wrapped,
} from '../support/orders/order-events.ts'
import { liveOrder } from '../support/orders/orders.ts'

describe('a request that arrives while a question is open', () => {
  test('waits for the next one, and delays no earlier request', () => {
    const life = begun()
    life.tell(revalidated('late'))
    const step = life.answer(live)
    expect(life.order.state).toBe('LIVE')
    expect(life.outcomeOf('create')).toMatchObject({ status: 'done' })
    expect(life.outcomeOf('late')).toBeUndefined()
    expect(step.asks).toBe(true)
    life.answer(live)
    expect(life.outcomeOf('late')).toMatchObject({ status: 'done' })
    expect(life.order.pending).toBeNull()
  })

  test('cannot keep an order from its verdict, however many come', () => {
    const life = begun()
    for (let n = 0; n < 20; n += 1) {
      life.tell(revalidated(`r${n}`))
      life.tell(imported(good, `i${n}`))
    }
    life.answer(live)
    expect(life.order.state).toBe('LIVE')
  })

  test('brings a wrapper that this verdict does not judge', () => {
    const broken = wrapped('broken')
    const life = begun(broken)
    life.tell(imported(good))
    const refusal = signatureOf(broken, 'INVALID')
    life.answer(evidenceOf({ node: nodeSays({ signatures: [refusal] }) }))
    expect(life.order).toMatchObject({ state: 'REJECTED', claims: [good] })
    life.answer(evidenceOf({ node: nodeSays({ signatures: [refusal, signatureOf(good)] }) }))
    expect(life.order).toMatchObject({ state: 'LIVE', claims: [] })
  })
})

describe('an answer', () => {
  test.each([
    ['a spend', spend('SEEN', thief)],
    ['a reorg', rechecked],
    ['an output that is gone', output('GONE')],
  ])('that %s came before is discarded, and the question is asked again', (_, news) => {
    const life = begun()
    life.tell(news)
    const stateAfterNews = life.order.state
    const step = life.answer(live)
    expect(step).toMatchObject({ change: null, outcomes: [], asks: true })
    expect(life.order).toMatchObject({ state: stateAfterNews, attempt: 2 })
    expect(life.order.pending).toMatchObject({ touched: false, attempt: 2 })
    life.answer(live)
    expect(life.order.state).toBe('LIVE')
  })
})

test('a request that came late is not lost when the answer is discarded', () => {
  const life = begun()
  life.tell(revalidated('late'))
  life.tell(spend('SEEN', thief))
  life.answer(live)
  life.answer(live)
  expect(life.outcomeOf('create')).toMatchObject({ status: 'done' })
  expect(life.outcomeOf('late')).toMatchObject({ status: 'done' })
})

describe('while an authority is unavailable', () => {
  const states: Partial<OrderRecord>[] = [
    { state: 'LIVE', reason: 'verified' },
    { state: 'PENDING_NODE', reason: 'not_final_until 1002' },
    { state: 'PENDING_ASSET', reason: 'output_not_indexed' },
    { state: 'MEMPOOL_CONFLICTED', reason: `mempool_conflict ${thief.txid}` },
    { state: 'SPENT', reason: 'spent', spend: thief },
    { state: 'SETTLED', reason: 'settled', spend: buyer },
    { state: 'REJECTED', reason: 'asset_mismatch', metadataFixed: false },
    { state: 'REJECTED', reason: 'signature_invalid', metadataFixed: false },
  ]

  test.each(
    states.flatMap((order) => [
      [order, 'NODE_UNAVAILABLE', evidenceOf({ node: nodeAway('node_warming_up') })] as const,
      [order, 'ASSET_INDEX_UNAVAILABLE', evidenceOf({ index: indexAway() })] as const,
    ]),
  )('a requested recheck of %j is refused with %s and changes nothing', (changes, code, away) => {
    const life = new Life(liveOrder(changes))
    const before = life.order
    life.tell(revalidated())
    const { change } = life.answer(away)
    expect(change).toBeNull()
    expect(life.order).toEqual({ ...before, attempt: 1 })
    expect(life.outcomeOf('revalidate')).toMatchObject({ status: 'refused', code })
  })

  test('a requested recheck of an order that no authority ever judged changes nothing either', () => {
    const life = begun()
    life.answer(evidenceOf({ node: nodeAway('node_warming_up') }))
    const before = life.order
    life.tell(revalidated())
    life.answer(evidenceOf({ node: nodeAway('node_unavailable') }))
    expect(life.order).toEqual({ ...before, attempt: 2 })
    expect(life.outcomeOf('revalidate')).toMatchObject({ code: 'NODE_UNAVAILABLE' })
  })

  test('a requested recheck is refused even where an earlier proof of the index would do', () => {
    const life = new Life(liveOrder({ indexProof: proved() }))
    life.tell(revalidated())
    life.answer(evidenceOf({ index: indexAway('asset_index_malformed') }))
    expect(life.outcomeOf('revalidate')).toMatchObject({ code: 'ASSET_INDEX_UNAVAILABLE' })
    expect(life.order).toMatchObject({ state: 'LIVE', reason: 'verified' })
  })

  test('a requested recheck that needs no index is answered', () => {
    const life = new Life(liveOrder())
    life.tell(revalidated())
    life.answer({ ...mempoolOf(thief), index: indexAway('asset_index_not_asked') })
    expect(life.order.state).toBe('MEMPOOL_CONFLICTED')
    expect(life.outcomeOf('revalidate')).toMatchObject({ status: 'done' })
  })

  test('a requested recheck of what no index could change is answered', () => {
    const broken = signatureOf(good, 'INVALID')
    const rejected = evidenceOf({ node: nodeSays({ signatures: [broken] }), index: indexAway() })
    const life = begun()
    life.answer(rejected)
    life.tell(revalidated())
    life.answer(rejected)
    expect(life.outcomeOf('revalidate')).toMatchObject({ status: 'done' })
  })

  test('a requested recheck interrupted by news is still due', () => {
    const life = new Life(liveOrder())
    life.tell(revalidated())
    life.tell(rechecked)
    life.answer(live)
    life.answer(evidenceOf({ node: nodeAway() }))
    expect(life.order).toMatchObject({ state: 'LIVE', anchor: { watermark: null } })
    expect(life.outcomeOf('revalidate')).toMatchObject({ code: 'NODE_UNAVAILABLE' })
  })

  test('a background recheck leaves an order REJECTED for the index’s earlier answer', () => {
    const life = begun(askClaim({ protocolId: 'inscriptions' }))
    life.answer(live)
    expect(life.order.reason).toBe('asset_missing')
    life.tell(rechecked)
    life.answer(evidenceOf({ index: indexAway() }))
    expect(life.order).toMatchObject({ state: 'REJECTED', reason: 'asset_missing' })
  })

  test('a background recheck leaves a LIVE order LIVE, and stays due', () => {
    const life = new Life(liveOrder())
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeAway() }))
    expect(life.order).toMatchObject({ state: 'LIVE', anchor: { watermark: null }, pending: null })
    expect(life.steps.at(-1)?.change).toMatchObject({ kind: 'noted', reason: 'authority_away' })
    life.tell(rechecked)
    expect(life.answer(evidenceOf({ node: nodeAway() })).change).toBeNull()
  })

  test('a dropped conflict whose recheck is not answered is rechecked, not forgotten', () => {
    const life = new Life(liveOrder())
    life.tell(spend('SEEN', thief))
    life.tell(spend('DROPPED', thief))
    life.answer(evidenceOf({ node: nodeAway() }))
    expect(life.order).toMatchObject({ state: 'MEMPOOL_CONFLICTED', anchor: { watermark: null } })
  })

  test('a new wrapper lifts a REJECTED order to PENDING until it can be judged', () => {
    for (const [away, state] of [
      [evidenceOf({ node: nodeAway() }), 'PENDING_NODE'],
      [evidenceOf({ node: signedBy(good), index: indexAway() }), 'PENDING_ASSET'],
    ] as const) {
      const broken = wrapped('broken')
      const life = begun(broken)
      const signatures = [signatureOf(broken, 'INVALID')]
      life.answer(evidenceOf({ node: nodeSays({ signatures }), index: indexAway() }))
      life.tell(imported(good))
      life.answer(away)
      expect(life.order.state).toBe(state)
      life.tell(rechecked)
      life.answer(evidenceOf({ node: signedBy(good) }))
      expect(life.order).toMatchObject({ state: 'LIVE', kept: { artifact: good.artifact } })
    }
  })
})

describe('an index that lags or was rolled back', () => {
  const rolledBack = indexSays({ at: { ...blockAt(OUTPUT_BLOCK.height - 19), version: 'ord 1' } })

  test('does not unseat a LIVE order whose output it had examined', () => {
    const life = begun()
    life.answer(live)
    life.tell(revalidated())
    life.answer(evidenceOf({ index: rolledBack }))
    expect(life.order).toMatchObject({ state: 'LIVE', indexProof: proved() })
    expect(life.outcomeOf('revalidate')).toMatchObject({ status: 'done' })
  })

  test('proves nothing of the same output in another block', () => {
    const life = begun()
    life.answer(live)
    const moved = unspent({ block: blockAt(OUTPUT_BLOCK.height, 'fork') })
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeSays({ output: moved }), index: rolledBack }))
    expect(life.order).toMatchObject({ state: 'PENDING_ASSET', indexProof: null })
    // Not later either, now that this block is the order's own.
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeSays({ output: moved }), index: rolledBack }))
    expect(life.order.state).toBe('PENDING_ASSET')
  })
})
