import { describe, expect, test } from 'vitest'
import { MAX_CLAIMS, MAX_SOURCES } from '../../src/actors/order/changes/imports.ts'
import { isProved } from '../../src/domain/order/proved.ts'
import { toOutpointText } from '../support/ids.ts'
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
  PREVOUT,
  SELLER,
  signatureOf,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../support/orders/evidence.ts'
import { Life } from '../support/orders/life.ts'
import {
  begun,
  good,
  imported,
  live,
  mempoolOf,
  rechecked,
  spend,
  thief,
  wrapped,
} from '../support/orders/order-events.ts'
import { liveOrder, orderOf } from '../support/orders/orders.ts'

describe('an import', () => {
  test('makes an order, which is LIVE when both authorities proved it', () => {
    const life = begun()
    expect(life.outcomeOf('create')).toBeUndefined()
    life.answer(live)
    expect(life.states).toEqual(['PENDING_NODE', 'LIVE'])
    expect(life.steps.map(({ change }) => change?.fromState)).toEqual([null, 'PENDING_NODE'])
    expect(life.outcomeOf('create')).toEqual({ status: 'done', seq: 2 })
    expect(life.order).toMatchObject({
      sellerScriptHex: SELLER,
      quotedPriceSats: '500000',
      side: 'ASK',
      kept: { inspection: { signatureStatus: 'VALID' } },
      anchor: { tip: blockAt(TIP_HEIGHT), mempoolSequence: 1, watermark: { epoch: 1, n: 0 } },
    })
  })

  test('of an unsupported wrapper is answered at once with every reason, and asks no authority', () => {
    const reasons = ['sighash_not_single_anyonecanpay', 'no_output_at_index']
    const life = begun(askClaim({ inspection: { orderClass: 'UNSUPPORTED', reasons } }))
    expect(life.order).toMatchObject({ state: 'REJECTED', reason: reasons[0], pending: null })
    expect(life.order.validation.reasons).toEqual(reasons)
    expect(life.outcomeOf('create')).toEqual({ status: 'done', seq: 1 })
    expect(life.order).not.toHaveProperty('side')
    expect(life.order).not.toHaveProperty('quotedPriceSats')
    life.tell(spend('SEEN', thief))
    expect(life.order.state).toBe('REJECTED')
  })

  test.each([
    ['node', evidenceOf({ node: nodeAway() }), 'PENDING_NODE'],
    ['index', evidenceOf({ index: indexAway() }), 'PENDING_ASSET'],
  ])(
    'while the %s is unavailable is answered with PENDING, and judged when it is back',
    (_, away, state) => {
      const life = begun()
      life.answer(away)
      expect(life.order.state).toBe(state)
      expect(life.outcomeOf('create')).toEqual({ status: 'done', seq: 2 })
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
    expect(life.outcomeOf('a')).toEqual({ status: 'done', seq: seq + 1 })
    expect(life.outcomeOf('b')).toEqual({ status: 'done', seq: seq + 1 })
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

  describe('of an ask that a wallet signed for all inputs and outputs', () => {
    const whole = wrapped('whole', { inspection: { reasons: ['sighash_default'] } })
    const signed = signatureOf(whole, 'VALID', 'sighash_not_single_anyonecanpay')
    const answered = (output = unspent()) => {
      const life = begun(whole)
      life.answer(evidenceOf({ node: nodeSays({ output, signatures: [signed] }) }))
      return life
    }
    const both = nodeSays({ signatures: [signed, signatureOf(good)] })

    test.each([
      ['unspent', unspent()],
      ['spent in the mempool', spentBy({ ...thief, block: null })],
      ['spent', spentBy(thief)],
    ])('is no ask, and proves nothing: its output is %s', (_, output) => {
      const { order } = answered(output)
      expect(order).toMatchObject({
        state: 'REJECTED',
        reason: 'sighash_not_single_anyonecanpay',
        kept: { inspection: { orderClass: 'UNSUPPORTED', signatureStatus: 'VALID' } },
      })
      expect(order).not.toHaveProperty('proved')
    })

    test('is LIVE once its owner signs it as an ask', () => {
      const life = answered()
      expect(life.tell(imported(good)).asks).toBe(true)
      life.answer(evidenceOf({ node: both }))
      expect(life.order).toMatchObject({ state: 'LIVE', proved: true, claims: [] })
      expect(life.order.kept.artifact).toBe(good.artifact)
    })

    test('waits for the node with the wrapper that is an ask', () => {
      const life = answered()
      life.tell(imported(good))
      life.answer(evidenceOf({ node: nodeAway() }))
      expect(life.order).toMatchObject({ state: 'PENDING_NODE', kept: { artifact: good.artifact } })
      life.tell(rechecked)
      life.answer(live)
      expect(life.order.state).toBe('LIVE')
    })

    test('hears what spends its output while the ask is judged', () => {
      const life = answered()
      life.tell(imported(good))
      life.tell(spend('CONFIRMED', thief))
      life.answer(evidenceOf({ node: both }))
      expect(life.order).toMatchObject({ state: 'SPENT', pending: { touched: false } })
    })

    test('and sent again was judged', () => {
      const life = answered()
      expect(life.tell(imported(whole)).asks).toBe(false)
      expect(life.outcomeOf('import')).toMatchObject({ status: 'done' })
    })

    test('does not take the place of a wrapper that lacks its byte', () => {
      const lacking = wrapped('lacking')
      const missing = signatureOf(lacking, 'INVALID', 'sighash_byte_missing_recoverable')
      const life = answered()
      life.tell(imported(lacking))
      life.answer(evidenceOf({ node: nodeSays({ signatures: [signed, missing] }) }))
      expect(life.order).toMatchObject({
        reason: 'sighash_byte_missing_recoverable',
        proved: true,
        kept: { artifact: lacking.artifact },
      })
    })

    test('is not proved where an earlier release said so, until it is', () => {
      const { order } = answered()
      const life = new Life({ ...order, proved: true })
      expect(isProved(life.order)).toBe(false)
      life.tell(imported(good))
      life.answer(evidenceOf({ node: nodeAway() }))
      expect(isProved(life.order)).toBe(false)
      life.tell(rechecked)
      life.answer(live)
      expect(isProved(life.order)).toBe(true)
    })
  })

  test('of a REJECTED order says that its authorisation is recoverable', () => {
    const broken = wrapped('broken')
    const lacking = wrapped('lacking')
    const life = begun(broken)
    const bad = signatureOf(broken, 'INVALID')
    life.answer(evidenceOf({ node: nodeSays({ signatures: [bad] }) }))
    expect(life.order.reason).toBe('signature_invalid')
    life.tell(imported(lacking))
    const missing = signatureOf(lacking, 'INVALID', 'sighash_byte_missing_recoverable')
    life.answer(evidenceOf({ node: nodeSays({ signatures: [bad, missing] }) }))
    expect(life.order).toMatchObject({
      state: 'REJECTED',
      reason: 'sighash_byte_missing_recoverable',
      kept: { artifact: lacking.artifact },
    })
  })

  test('with the right asset improves an order that a false claim got REJECTED', () => {
    const market = { protocolId: 'inscriptions', token: 'PUNK' }
    const elsewhere = assetClaim(toOutpointText(`${INSCRIPTION.slice(0, 64)}:3`))
    const lying = askClaim({ ...market, source: { claimedAsset: elsewhere } })
    const holding = evidenceOf({ index: indexSays({ inscriptions: [inscriptionAt()] }) })
    const life = begun(lying)
    life.answer(holding)
    expect(life.order.reason).toBe('asset_mismatch')
    // The same inscription in the same wrapper, but in the output that really holds it.
    life.tell(imported(askClaim({ ...market, source: { claimedAsset: assetClaim() } })))
    life.answer(holding)
    expect(life.order).toMatchObject({ state: 'LIVE', ...market })
  })

  test('of a LIVE order with another market is only recorded', () => {
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
    expect(life.outcomeOf('refused')).toMatchObject({ status: 'refused', code: 'TOO_MANY_CLAIMS' })
    expect(life.outcomeOf('known')).toBeUndefined()
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
    const settled = new Life(
      liveOrder({ ...closed, state: 'SETTLED', metadataFixed: false, proved: true }),
    )
    settled.tell(imported(wrapped('late')))
    expect(settled.order).toMatchObject({ ...closed, pending: null })
    expect(settled.outcomeOf('import')).toMatchObject({ status: 'done' })
  })

  test.each(['PENDING_NODE', 'MEMPOOL_CONFLICTED', 'SPENT', 'REJECTED'] as const)(
    'of an order that was closed unproved while it was %s opens it, as if it were new',
    (state) => {
      const late = { ...good.source, observedAt: '2031-01-01T00:00:00.000Z' }
      const life = new Life(orderOf({ state, closedAt: good.source.observedAt }))
      expect(life.tell(imported({ ...good, source: late })).asks).toBe(true)
      expect(life.order).toMatchObject({ closedAt: null, sources: [late] })
    },
  )

  test('once more of an order whose output was missing asks for it again', () => {
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
    expect(life.outcomeOf('create')).toMatchObject({ status: 'done' })
    expect(life.outcomeOf('import')).toBeUndefined()
    const signatures = [signatureOf(broken, 'INVALID'), signatureOf(good)]
    const both = nodeSays({ signatures, output: spentBy({ ...thief, block: null }) })
    life.answer(evidenceOf({ node: both }))
    expect(life.order.kept.artifact).toBe(good.artifact)
    expect(life.order.claims).toEqual([])
  })
})

describe('wrappers that wait', () => {
  const fat = (name: string, bytes: number) => ({ ...wrapped(name), artifact: 'A'.repeat(bytes) })
  const bytesOf = (life: Life) => Buffer.byteLength(JSON.stringify(life.order))

  test('of strangers, however large, make room for one that is smaller', () => {
    const life = begun()
    for (const name of ['one', 'two', 'three']) life.tell(imported(fat(name, 50_000), name))
    life.tell(imported(fat('four', 90_000), 'four'))
    expect(life.order.claims.map(({ artifact }) => artifact.length)).toEqual([50_000, 50_000])
    expect(life.outcomeOf('four')).toMatchObject({ status: 'refused', code: 'TOO_MANY_CLAIMS' })
    life.tell(imported(fat('honest', 20_000), 'honest'))
    expect(life.order.claims.map(({ artifact }) => artifact.length)).toEqual([50_000, 20_000])
    expect(life.outcomeOf('honest')).toBeUndefined()
    expect(bytesOf(life)).toBeLessThan(2 ** 18)
  })

  test('that were dropped leave the question with those it was asked for', () => {
    const life = begun()
    life.tell(imported(fat('one', 60_000)))
    life.answer(evidenceOf({ node: nodeSays({ output: MISSING, signatures: [] }) }))
    life.tell(imported(fat('two', 50_000)))
    const { pending, claims } = life.order
    expect(pending?.asked).toBeLessThanOrEqual(claims.length)
    life.tell(imported(fat('three', 40_000)))
    expect(life.order.claims.map(({ artifact }) => artifact.length)).not.toContain(60_000)
    expect(life.order.pending?.asked).toBeLessThanOrEqual(life.order.claims.length)
  })

  test('make room for a publish, also where there are 8 of them', () => {
    const life = begun()
    for (let n = 0; n < MAX_CLAIMS; n += 1) life.tell(imported(wrapped(`waiting ${n}`)))
    life.tell(imported({ ...wrapped('mine'), published: true }, 'mine'))
    expect(life.outcomeOf('mine')).toBeUndefined()
    expect(life.order.claims).toHaveLength(MAX_CLAIMS)
    expect(life.order.claims.at(-1)?.published).toBe(true)
  })
})
