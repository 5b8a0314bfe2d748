import { describe, expect, test } from 'vitest'
import { MAX_CLAIMS, MAX_SOURCES } from '../../src/actors/changes/imports.ts'
import type { OrderEvent } from '../../src/actors/order-events.ts'
import type { OfferClaim, OrderRecord } from '../../src/schemas/order-record.ts'
import {
  askClaim,
  assetClaim,
  bidClaim,
  blockAt,
  evidenceOf,
  INSCRIPTION,
  indexAway,
  indexSays,
  inscriptionAt,
  MISSING,
  nodeAway,
  nodeSays,
  OUTPUT_BLOCK,
  PREVOUT,
  SELLER,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../support/evidence.ts'
import { Life, moment } from '../support/life.ts'
import { liveOrder, orderOf } from '../support/orders.ts'

const good = askClaim()
const wrapped = (wrapper: string, changes = {}) => askClaim({ wrapper, ...changes })
const signedBy = (...claims: OfferClaim[]) =>
  nodeSays({ signatures: claims.map((claim) => signatureOf(claim)) })

const created: OrderEvent = { type: 'CREATE', requestId: 'create', ...moment() }
const imported = (claim: OfferClaim, requestId = 'import'): OrderEvent => ({
  type: 'IMPORT',
  claim,
  requestId,
  ...moment(),
})
const revalidated = (requestId = 'revalidate'): OrderEvent => ({
  type: 'REVALIDATE',
  requestId,
  ...moment(),
})
const rechecked: OrderEvent = { type: 'RECHECK', purpose: 'recheck', ...moment() }
const withdrawn: OrderEvent = {
  type: 'WITHDRAW',
  by: 'seller',
  requestId: 'withdraw',
  reason: 'sold elsewhere',
  ...moment(),
}
type SpendChange = 'SEEN' | 'DROPPED' | 'CONFIRMED' | 'UNCONFIRMED'
const spend = (change: SpendChange, by: ReturnType<typeof spendBy>): OrderEvent => ({
  type: `SPEND_${change}`,
  spend: change === 'SEEN' || change === 'DROPPED' ? { ...by, block: null } : by,
  ...moment(),
})
type OutputChange = 'SEEN' | 'CONFIRMED' | 'UNCONFIRMED' | 'GONE'
const output = (change: OutputChange, block: OrderRecord['outputBlock'] = null): OrderEvent => ({
  type: `OUTPUT_${change}`,
  block,
  ...moment(),
})

const live = evidenceOf()
const mempoolOf = (by: ReturnType<typeof spendBy>) =>
  evidenceOf({ node: nodeSays({ output: spentBy({ ...by, block: null }) }) })
const buyer = spendBy('buyer', { block: spendBlock() })
const thief = spendBy('thief', { block: spendBlock(), pairedOutput: null })

const begun = (claim = good) => {
  const life = new Life(orderOf({}, claim))
  life.tell(created)
  return life
}
const outcomeOf = (life: Life, requestId: string) =>
  life.outcomes.find((one) => one.requestId === requestId)?.outcome

describe('an import', () => {
  test('makes an order, which is LIVE when both authorities proved it', () => {
    const life = begun()
    expect(outcomeOf(life, 'create')).toBeUndefined()
    life.answer(live)
    expect(life.states).toEqual(['PENDING_NODE', 'LIVE'])
    expect(life.steps.map(({ change }) => change?.fromState)).toEqual([null, 'PENDING_NODE'])
    expect(outcomeOf(life, 'create')).toEqual({ status: 'done', seq: 2 })
    expect(life.order).toMatchObject({
      sellerScriptHex: SELLER,
      quotedPriceSats: '500000',
      side: 'ASK',
      kept: { inspection: { signatureStatus: 'VALID' } },
      anchor: { tip: blockAt(TIP_HEIGHT), mempoolSequence: 1, watermark: { epoch: 1, n: 0 } },
    })
  })

  test('of an unsupported wrapper is answered at once with every reason, and asks nobody', () => {
    const reasons = ['sighash_not_single_anyonecanpay', 'no_output_at_index']
    const life = begun(askClaim({ inspection: { orderClass: 'UNSUPPORTED', reasons } }))
    expect(life.order).toMatchObject({ state: 'REJECTED', reason: reasons[0], pending: null })
    expect(life.order.validation.reasons).toEqual(reasons)
    expect(outcomeOf(life, 'create')).toEqual({ status: 'done', seq: 1 })
    expect(life.order).not.toHaveProperty('side')
    expect(life.order).not.toHaveProperty('quotedPriceSats')
    life.tell(spend('SEEN', thief))
    expect(life.order.state).toBe('REJECTED')
  })

  test.each([
    ['node', evidenceOf({ node: nodeAway() }), 'PENDING_NODE'],
    ['index', evidenceOf({ index: indexAway() }), 'PENDING_ASSET'],
  ])(
    'while the %s is away is answered with PENDING, and judged when it is back',
    (_, away, state) => {
      const life = begun()
      life.answer(away)
      expect(life.order.state).toBe(state)
      expect(outcomeOf(life, 'create')).toEqual({ status: 'done', seq: 2 })
      life.tell(rechecked)
      life.answer(live)
      expect(life.order.state).toBe('LIVE')
    },
  )

  test('of a bid prices it by what reaches the seller beyond the value of the asset', () => {
    const bid = bidClaim()
    expect(begun(bid).order).not.toHaveProperty('quotedPriceSats')
    const funding = bid.offer.funding.map((outpoint) => ({
      outpoint,
      output: unspent({ output: { valueSats: '700000', scriptHex: PREVOUT.scriptHex } }),
      signature: 'VALID' as const,
    }))
    const claim = { ...bid, inspection: { ...bid.inspection, inputWitnessUtxos: [null, null] } }
    const life = begun(claim)
    life.answer(evidenceOf({ node: nodeSays({ funding, signatures: [signatureOf(claim)] }) }))
    expect(life.order).toMatchObject({ state: 'LIVE', quotedPriceSats: '500000', side: 'BID' })
  })

  test('again, of what was judged, is answered at once and adds its source once', () => {
    const life = begun()
    life.answer(live)
    const { seq } = life.order
    life.tell(imported({ ...good, source: { ...good.source, sourceId: 'again' } }, 'a'))
    life.tell(imported({ ...good, source: { ...good.source, sourceId: 'again' } }, 'b'))
    expect(life.order.sources.map(({ sourceId }) => sourceId)).toEqual(['wrapper', 'again'])
    expect(outcomeOf(life, 'a')).toEqual({ status: 'done', seq: seq + 1 })
    expect(outcomeOf(life, 'b')).toEqual({ status: 'done', seq: seq + 1 })
  })

  test('of a REJECTED order with a better wrapper improves it, and that wrapper is kept', () => {
    const lacking = wrapped('lacking')
    const life = begun(lacking)
    const missing = signatureOf(lacking, 'INVALID', 'sighash_byte_missing_recoverable')
    life.answer(evidenceOf({ node: nodeSays({ signatures: [missing] }) }))
    expect(life.order.reason).toBe('sighash_byte_missing_recoverable')
    life.tell(imported(good))
    life.answer(evidenceOf({ node: nodeSays({ signatures: [missing, signatureOf(good)] }) }))
    expect(life.order).toMatchObject({ state: 'LIVE', claims: [] })
    expect(life.order.kept.artifact).toBe(good.artifact)
    expect(life.order.sources).toHaveLength(2)
  })

  test('with the right asset improves an order that a false claim got REJECTED', () => {
    const market = { protocolId: 'inscriptions', token: 'PUNK' }
    const elsewhere = assetClaim(`${INSCRIPTION.slice(0, 64)}:3`)
    const lying = askClaim({ ...market, source: { claimedAsset: elsewhere } })
    const holding = evidenceOf({ index: indexSays({ inscriptions: [inscriptionAt()] }) })
    const life = begun(lying)
    life.answer(holding)
    expect(life.order.reason).toBe('asset_mismatch')
    // The same inscription in the same wrapper, but in the output where it really is.
    life.tell(imported(askClaim({ ...market, source: { claimedAsset: assetClaim() } })))
    life.answer(holding)
    expect(life.order).toMatchObject({ state: 'LIVE', ...market })
  })

  test('of a LIVE order with another market is only noted', () => {
    const life = begun(askClaim({ protocolId: 'recursive', token: 'MINE' }))
    life.answer(live)
    const step = life.tell(
      imported(wrapped('other', { protocolId: 'inscriptions', token: 'YOURS' })),
    )
    expect(step.asks).toBe(false)
    expect(life.order).toMatchObject({ state: 'LIVE', protocolId: 'recursive', token: 'MINE' })
  })

  test('keeps 32 sources and counts the rest', () => {
    const life = begun()
    life.answer(live)
    for (let n = 0; n < MAX_SOURCES + 3; n += 1) {
      life.tell(imported({ ...good, source: { ...good.source, sourceId: `source ${n}` } }))
    }
    expect(life.order.sources).toHaveLength(32)
    expect(life.order.sourcesDropped).toBe(4)
  })

  test('is refused while 8 wrappers wait, but not of a wrapper that waits already', () => {
    const life = begun()
    for (let n = 0; n < MAX_CLAIMS; n += 1) life.tell(imported(wrapped(`waiting ${n}`)))
    life.tell(imported(wrapped('one too many'), 'refused'))
    life.tell(imported(wrapped('waiting 3'), 'known'))
    expect(outcomeOf(life, 'refused')).toMatchObject({ status: 'refused', code: 'TOO_MANY_CLAIMS' })
    expect(outcomeOf(life, 'known')).toBeUndefined()
    expect(life.order.claims).toHaveLength(8)
  })

  test('of a closed REJECTED order opens it again, of a closed SETTLED one does not', () => {
    const closed = { closedAt: good.source.observedAt }
    const rejected = new Life(
      orderOf({ ...closed, state: 'REJECTED', reason: 'signature_invalid' }),
    )
    rejected.tell(imported(wrapped('better')))
    expect(rejected.order.closedAt).toBeNull()
    expect(rejected.order.pending).not.toBeNull()
    const settled = new Life(liveOrder({ ...closed, state: 'SETTLED', metadataFixed: false }))
    settled.tell(imported(wrapped('late')))
    expect(settled.order).toMatchObject({ ...closed, pending: null })
    expect(outcomeOf(settled, 'import')).toMatchObject({ status: 'done' })
  })

  test('once more of an order whose output was missing has it looked for again', () => {
    const life = begun()
    life.answer(evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) }))
    expect(life.order.reason).toBe('outpoint_missing')
    expect(life.tell(imported(good)).asks).toBe(true)
  })

  test('among wrappers that are equally conflicted keeps the first whose signature is valid', () => {
    const broken = wrapped('broken')
    const life = begun(broken)
    life.tell(imported(good))
    const conflict = mempoolOf(thief)
    life.answer(conflict)
    expect(outcomeOf(life, 'create')).toMatchObject({ status: 'done' })
    expect(outcomeOf(life, 'import')).toBeUndefined()
    const signatures = [signatureOf(broken, 'INVALID'), signatureOf(good)]
    const both = nodeSays({ signatures, output: spentBy({ ...thief, block: null }) })
    life.answer(evidenceOf({ node: both }))
    expect(life.order.kept.artifact).toBe(good.artifact)
    expect(life.order.claims).toEqual([])
  })
})

describe('a request that comes while a question is out', () => {
  test('waits for the next one, and holds up nobody who came before', () => {
    const life = begun()
    life.tell(revalidated('late'))
    const step = life.answer(live)
    expect(life.order.state).toBe('LIVE')
    expect(outcomeOf(life, 'create')).toMatchObject({ status: 'done' })
    expect(outcomeOf(life, 'late')).toBeUndefined()
    expect(step.asks).toBe(true)
    life.answer(live)
    expect(outcomeOf(life, 'late')).toMatchObject({ status: 'done' })
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
  ])('that %s came before is discarded, and the question is put again', (_, news) => {
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

describe('while an authority is away', () => {
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
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ status: 'refused', code })
  })

  test('a requested recheck of an order that no authority ever judged changes nothing either', () => {
    const life = begun()
    life.answer(evidenceOf({ node: nodeAway('node_warming_up') }))
    const before = life.order
    life.tell(revalidated())
    life.answer(evidenceOf({ node: nodeAway('node_unavailable') }))
    expect(life.order).toEqual({ ...before, attempt: 2 })
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ code: 'NODE_UNAVAILABLE' })
  })

  test('a requested recheck is refused even where an earlier proof of the index would do', () => {
    const life = new Life(liveOrder({ indexProof: indexSays() }))
    life.tell(revalidated())
    life.answer(evidenceOf({ index: indexAway('asset_index_malformed') }))
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ code: 'ASSET_INDEX_UNAVAILABLE' })
    expect(life.order).toMatchObject({ state: 'LIVE', reason: 'verified' })
  })

  test('a requested recheck that needs no index is answered', () => {
    const life = new Life(liveOrder())
    life.tell(revalidated())
    life.answer({ ...mempoolOf(thief), index: indexAway('asset_index_not_asked') })
    expect(life.order.state).toBe('MEMPOOL_CONFLICTED')
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ status: 'done' })
  })

  test('a background recheck leaves a LIVE order LIVE, and is owed', () => {
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
    expect(life.order).toMatchObject({ state: 'LIVE', indexProof: indexSays() })
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ status: 'done' })
  })

  test('proves nothing of the same output in another block', () => {
    const life = begun()
    life.answer(live)
    const moved = unspent({ block: blockAt(OUTPUT_BLOCK.height, 'fork') })
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeSays({ output: moved }), index: rolledBack }))
    expect(life.order).toMatchObject({ state: 'PENDING_ASSET', indexProof: null })
    // Neither later, now that this block is the order's own.
    life.tell(rechecked)
    life.answer(evidenceOf({ node: nodeSays({ output: moved }), index: rolledBack }))
    expect(life.order.state).toBe('PENDING_ASSET')
  })
})

describe('news of the chain', () => {
  test('RBF: a conflict is replaced by a transaction that leaves the output alone', () => {
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

  test('RBF: a conflict is replaced by another conflict, whichever is told first', () => {
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

  test('a spend that a block confirms without its ever being seen', () => {
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', thief))
    expect(life.order).toMatchObject({ state: 'SPENT', reason: 'spent', spend: thief })
    expect(life.order).not.toHaveProperty('settlement')
  })

  test('each record told twice, as after a crash, changes nothing the second time', () => {
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

  test('the mempool says nothing against a block', () => {
    const life = new Life(liveOrder())
    life.tell(spend('CONFIRMED', buyer))
    life.tell(spend('SEEN', thief))
    life.tell(spend('DROPPED', buyer))
    expect(life.order).toMatchObject({ state: 'SETTLED', pending: null })
  })

  test('news of the block that the order does not stand on is old', () => {
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

  test('the output loses its block and gets another: examined anew before it is LIVE', () => {
    const life = new Life(liveOrder({ indexProof: indexSays() }))
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

describe('a withdrawn order', () => {
  const gone = () => {
    const life = new Life(liveOrder())
    life.tell(withdrawn)
    return life
  }

  test.each(['PENDING_NODE', 'PENDING_ASSET', 'LIVE', 'MEMPOOL_CONFLICTED', 'REJECTED'] as const)(
    'may have been %s',
    (state) => {
      const life = new Life(liveOrder({ state }))
      life.tell(withdrawn)
      expect(life.order).toMatchObject({
        state: 'WITHDRAWN',
        reason: 'withdrawn_by_seller',
        withdrawal: { reason: 'sold elsewhere' },
      })
      expect(life.steps[0]?.change?.actor).toBe('seller')
    },
  )

  test.each(['SPENT', 'SETTLED'] as const)('may not have been %s', (state) => {
    const life = new Life(liveOrder({ state, spend: buyer }))
    life.tell(withdrawn)
    expect(life.order.state).toBe(state)
    expect(outcomeOf(life, 'withdraw')).toMatchObject({ code: 'ORDER_NOT_WITHDRAWABLE' })
  })

  test('withdrawn again is answered and logs nothing', () => {
    const life = gone()
    const { change, outcomes } = life.tell({ ...withdrawn, at: '2031-01-01T00:00:00.000Z' })
    expect(change).toBeNull()
    expect(outcomes).toHaveLength(1)
  })

  test('imported again stays withdrawn, whatever the wrapper', () => {
    const life = gone()
    expect(life.tell(imported(wrapped('other'))).asks).toBe(false)
    expect(life.order).toMatchObject({ state: 'WITHDRAWN', claims: [] })
    expect(outcomeOf(life, 'import')).toMatchObject({ status: 'done' })
  })

  test('is still watched: what becomes of its output is recorded without a change of state', () => {
    const life = gone()
    life.tell(spend('SEEN', buyer))
    expect(life.order.settlement).toMatchObject({ txid: buyer.txid, confirmations: 0 })
    life.tell(spend('CONFIRMED', buyer))
    expect(life.order).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_seller',
      settlement: { txid: buyer.txid, confirmations: 1 },
      validation: { nodeStatus: 'OUTPOINT_SPENT', reasons: ['settled'] },
    })
    life.tell(spend('UNCONFIRMED', buyer))
    expect(life.order).toMatchObject({ state: 'WITHDRAWN', spend: { block: null } })
    life.answer(live)
    expect(life.order).toMatchObject({
      state: 'WITHDRAWN',
      reason: 'withdrawn_by_seller',
      validation: { nodeStatus: 'READY' },
    })
    expect(life.order).not.toHaveProperty('settlement')
    expect(life.states).toEqual(['WITHDRAWN'])
  })

  test('answers those who waited for its verdict', () => {
    const life = begun()
    life.tell(withdrawn)
    life.answer(live)
    expect(life.order.state).toBe('WITHDRAWN')
    expect(outcomeOf(life, 'create')).toMatchObject({ status: 'done' })
  })
})

describe('the end of an order', () => {
  const close: OrderEvent = { type: 'CLOSE', ...moment() }

  test('a closed order hears nothing any more', () => {
    const life = new Life(liveOrder({ state: 'SETTLED', spend: buyer }))
    expect(life.tell(close).change).toMatchObject({ kind: 'noted', reason: 'closed' })
    for (const news of [
      spend('UNCONFIRMED', buyer),
      spend('SEEN', thief),
      output('GONE'),
      rechecked,
    ])
      expect(life.tell(news)).toMatchObject({ change: null, asks: false })
    life.tell(revalidated())
    expect(outcomeOf(life, 'revalidate')).toMatchObject({ status: 'done' })
  })

  test('an order is not closed over a question that somebody waits for', () => {
    const life = new Life(orderOf({ state: 'REJECTED', reason: 'signature_invalid' }))
    life.tell(imported(wrapped('better')))
    life.tell(close)
    expect(life.order.closedAt).toBeNull()
    life.answer(evidenceOf({ node: signedBy(wrapped('better')) }))
    expect(outcomeOf(life, 'import')).toMatchObject({ status: 'done' })
  })
})
