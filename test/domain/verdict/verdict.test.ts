import { describe, expect, test } from 'vitest'
import { judge, type Verdict, type VerdictQuestion } from '../../../src/domain/verdict/verdict.ts'
import { NodeTrouble } from '../../../src/schemas/evidence.ts'
import { toTxid } from '../../support/ids.ts'
import {
  askClaim,
  assetClaim,
  BUYER,
  bidClaim,
  blockAt,
  evidenceOf,
  FUNDING,
  FUNDING_OUTPOINT,
  hash,
  INSCRIPTION,
  INSCRIPTIONS,
  indexAway,
  indexSays,
  inscriptionAt,
  MISSING,
  NO_MARKET,
  nodeAway,
  nodeSays,
  OUTPOINT,
  OUTPUT_BLOCK,
  PAYOUT,
  PREVOUT,
  RUNES,
  signatureOf,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../../support/orders/evidence.ts'

const ask = askClaim()
const LIVE: VerdictQuestion = {
  claim: ask,
  evidence: evidenceOf(),
  market: NO_MARKET,
  indexProof: null,
}
const claimed = askClaim({ source: { claimedAsset: assetClaim() } })
const holding = indexSays({ inscriptions: [inscriptionAt()] })

const judged = (changes: Partial<VerdictQuestion>): Verdict => judge({ ...LIVE, ...changes })
const withNode = (node: Parameters<typeof nodeSays>[0]) => evidenceOf({ node: nodeSays(node) })
const said = ({ state, reason }: Verdict) => `${state} ${reason}`

const bid = bidClaim()
const bidEvidence = (changes: Parameters<typeof nodeSays>[0] = {}) =>
  withNode({
    funding: [
      {
        outpoint: FUNDING_OUTPOINT,
        output: unspent({ output: FUNDING, block: blockAt(950) }),
        signature: 'VALID',
      },
    ],
    signatures: [signatureOf(bid)],
    ...changes,
  })
const fundedBy = (output: ReturnType<typeof unspent>) => ({
  funding: [{ outpoint: FUNDING_OUTPOINT, output, signature: 'VALID' as const }],
})

describe('the verdict table, row by row [spec 3 rule 5]', () => {
  test('an unsupported wrapper is REJECTED for the reason of its inspection, node or no node', () => {
    const claim = askClaim({
      inspection: { orderClass: 'UNSUPPORTED', reasons: ['legacy_input', 'unsigned'] },
    })
    expect(said(judged({ claim }))).toBe('REJECTED legacy_input')
    const evidence = evidenceOf({ node: nodeAway() })
    expect(said(judged({ claim, evidence }))).toBe('REJECTED legacy_input')
  })

  test.each(NodeTrouble.options)('an unavailable node, %s: PENDING_NODE', (reason) => {
    const verdict = judged({ evidence: evidenceOf({ node: nodeAway(reason) }) })
    expect(said(verdict)).toBe(`PENDING_NODE ${reason}`)
    expect(verdict.nodeStatus).toBe(reason === 'node_unconfigured' ? 'UNCONFIGURED' : 'UNAVAILABLE')
  })

  test('a confirmed spend with the exact payout at its index: SETTLED [spec 3 row 3] [spec 3 rule 2]', () => {
    const spend = spendBy('buyer', { block: spendBlock() })
    const verdict = judged({ evidence: withNode({ output: spentBy(spend) }) })
    expect(said(verdict)).toBe('SETTLED settled')
    expect(verdict).toMatchObject({ exactPayout: true, spend, nodeStatus: 'OUTPOINT_SPENT' })
  })

  test.each([
    ['another value', { ...PAYOUT, valueSats: '499999' }],
    ['another script', { ...PAYOUT, scriptHex: BUYER }],
    ['no output at the index', null],
  ])('a confirmed spend that pays %s: SPENT [spec 3 row 4] [spec 3 rule 2]', (_, pairedOutput) => {
    const spend = spendBy('thief', { block: spendBlock(), pairedOutput })
    const verdict = judged({ evidence: withNode({ output: spentBy(spend) }) })
    expect(said(verdict)).toBe('SPENT spent')
    expect(verdict.exactPayout).toBe(false)
  })

  test('a bid settles by its own transaction alone, signed or not', () => {
    const own = spendBy('own', { block: spendBlock(), unsignedTxid: bid.offer.unsignedTxid })
    const other = spendBy('other', { block: spendBlock() })
    const spentIn = (spend: typeof own) =>
      judged({ claim: bid, evidence: bidEvidence({ output: spentBy(spend) }) })
    expect(said(spentIn(own))).toBe('SETTLED settled')
    expect(said(spentIn(other))).toBe('SPENT spent')
  })

  test('a confirmed spend by an unknown spender: SPENT', () => {
    const verdict = judged({ evidence: withNode({ output: spentBy(null, true) }) })
    expect(said(verdict)).toBe('SPENT spender_unknown')
  })

  test('an unknown output: REJECTED', () => {
    const verdict = judged({ evidence: withNode({ output: MISSING, signatures: [] }) })
    expect(said(verdict)).toBe('REJECTED outpoint_missing')
    expect(verdict.nodeStatus).toBe('OUTPOINT_MISSING')
  })

  test('a spend in the mempool: MEMPOOL_CONFLICTED, with its transaction', () => {
    const exact = spendBy('buyer')
    const verdict = judged({ evidence: withNode({ output: spentBy(exact) }) })
    expect(said(verdict)).toBe(`MEMPOOL_CONFLICTED mempool_conflict ${exact.txid}`)
    expect(verdict).toMatchObject({ exactPayout: true, nodeStatus: 'OUTPOINT_SPENT' })
    const thief = spendBy('thief', { pairedOutput: null })
    expect(judged({ evidence: withNode({ output: spentBy(thief) }) }).exactPayout).toBe(false)
  })

  test.each([
    ['value', { ...PREVOUT, valueSats: '10001' }],
    ['script', { ...PREVOUT, scriptHex: BUYER }],
  ])("a witness utxo of another %s than the node's: REJECTED", (_, claimedPrevout) => {
    const claim = askClaim({ claimedPrevout })
    expect(said(judged({ claim }))).toBe('REJECTED witness_utxo_mismatch')
  })

  test('a wrapper without a utxo contradicts nothing', () => {
    expect(judged({ claim: askClaim({ claimedPrevout: null }) }).state).toBe('LIVE')
  })

  test('a bid whose own inputs the PSBT describes wrongly: REJECTED', () => {
    const lying = { ...FUNDING, valueSats: '9000000' }
    const claim = bidClaim({ inspection: { inputWitnessUtxos: [PREVOUT, lying] } })
    const verdict = judged({ claim, evidence: bidEvidence() })
    expect(said(verdict)).toBe('REJECTED witness_utxo_mismatch')
  })

  test('a sound bid: LIVE', () => {
    expect(said(judged({ claim: bid, evidence: bidEvidence() }))).toBe('LIVE verified')
  })

  test.each([
    ['spent in a block', { ...spentBy(spendBy('x', { block: spendBlock() })), output: FUNDING }],
    ['spent in the mempool', { ...spentBy(spendBy('x')), output: FUNDING }],
    ['missing', MISSING],
  ])('a bid with a funding input %s: REJECTED', (_, output) => {
    const evidence = bidEvidence({ ...fundedBy(output), signatures: [] })
    expect(said(judged({ claim: bid, evidence }))).toBe('REJECTED bid_funding_spent')
  })

  test('a bid whose funding the node was not asked about is not LIVE', () => {
    const evidence = bidEvidence({ funding: [] })
    expect(said(judged({ claim: bid, evidence }))).toBe('REJECTED bid_funding_spent')
  })

  test.each(['INVALID', 'NONE', 'UNAVAILABLE'] as const)(
    "a bid whose inputs are %s against the node's outputs: REJECTED",
    (status) => {
      const evidence = bidEvidence({ signatures: [signatureOf(bid, status)] })
      expect(said(judged({ claim: bid, evidence }))).toBe('REJECTED bid_funding_unsigned')
    },
  )

  test('each wrapper of a bid is judged by its own signatures', () => {
    const broken = bidClaim({ wrapper: 'broken' })
    const evidence = bidEvidence({ signatures: [signatureOf(broken, 'INVALID'), signatureOf(bid)] })
    expect(judged({ claim: broken, evidence }).state).toBe('REJECTED')
    expect(judged({ claim: bid, evidence }).state).toBe('LIVE')
  })

  test.each([
    ['699000', 'REJECTED bid_funding_short'],
    ['689000', 'REJECTED bid_funding_short'],
    ['699001', 'LIVE verified'],
  ])(
    'a bid whose inputs bring, according to the node, %s more than the asset',
    (valueSats, outcome) => {
      const claim = bidClaim({ inspection: { inputWitnessUtxos: [null, null] } })
      const evidence = bidEvidence(fundedBy(unspent({ output: { ...FUNDING, valueSats } })))
      expect(said(judged({ claim, evidence }))).toBe(outcome)
    },
  )

  test.each([
    ['INVALID', 'signature_invalid', 'signature_invalid'],
    ['INVALID', 'sighash_byte_missing_recoverable', 'sighash_byte_missing_recoverable'],
    ['UNAVAILABLE', 'signature_unverifiable', 'signature_unverifiable'],
    ['NONE', 'signature_invalid', 'signature_invalid'],
  ] as const)('a signature that is %s for %s: REJECTED', (status, found, reason) => {
    const evidence = withNode({ signatures: [signatureOf(ask, status, found)] })
    const verdict = judged({ evidence })
    expect(said(verdict)).toBe(`REJECTED ${reason}`)
    expect(verdict.signature).toBe(status)
  })

  test('an unjudged wrapper is not LIVE', () => {
    const evidence = withNode({ signatures: [] })
    expect(said(judged({ evidence }))).toBe('REJECTED signature_unverifiable')
  })

  test.each([
    ['version 0', { version: 0 }],
    ['version 4', { version: 4 }],
    ['a payout below dust', { payouts: [{ ...PAYOUT, valueSats: '329' }] }],
    ['an OP_RETURN payout', { payouts: [{ valueSats: '0', scriptHex: '6a0401020304' }] }],
  ])('%s: REJECTED', (_, offer) => {
    expect(said(judged({ claim: askClaim({ offer }) }))).toBe('REJECTED not_relayable')
  })

  test('a bid with two outputs of data: what the queried node relays', () => {
    const data = { valueSats: '0', scriptHex: '6a0401020304' }
    const { offer } = bidClaim()
    const claim = bidClaim({ offer: { payouts: [...offer.payouts.slice(0, 2), data, data] } })
    const asked = (changes: object) => said(judged({ claim, evidence: bidEvidence(changes) }))
    expect(asked({})).toBe('REJECTED not_relayable')
    expect(asked({ coreVersion: 299_900 })).toBe('REJECTED not_relayable')
    expect(asked({ coreVersion: 300_000 })).toBe('LIVE verified')
  })

  test('not final at the next block: PENDING_NODE, with what it waits for', () => {
    const claim = askClaim({ offer: { locktime: TIP_HEIGHT + 1 } })
    const verdict = judged({ claim })
    expect(said(verdict)).toBe(`PENDING_NODE not_final_until ${TIP_HEIGHT + 2}`)
    expect(verdict.nodeStatus).toBe('READY')
  })

  test('a bid waits for the relative lock and the maturity of its own inputs too', () => {
    const claim = bidClaim({ offer: { sequences: [0xfffffffd, 60] } })
    const young = unspent({ output: FUNDING, block: blockAt(990) })
    expect(said(judged({ claim, evidence: bidEvidence(fundedBy(young)) }))).toBe(
      'PENDING_NODE not_final_until 1050',
    )
    const mined = unspent({ output: FUNDING, block: blockAt(990), coinbase: true })
    expect(said(judged({ claim: bid, evidence: bidEvidence(fundedBy(mined)) }))).toBe(
      'PENDING_NODE not_final_until 1090',
    )
  })

  test('an immature coinbase output: PENDING_NODE', () => {
    const evidence = withNode({ output: unspent({ coinbase: true, block: blockAt(902) }) })
    expect(said(judged({ evidence }))).toBe('PENDING_NODE not_final_until 1002')
  })

  test('an unconfirmed output: PENDING_ASSET, also without a claim', () => {
    const evidence = evidenceOf({
      node: nodeSays({ output: unspent({ block: null }) }),
      index: indexAway('asset_index_not_asked'),
    })
    expect(said(judged({ evidence }))).toBe('PENDING_ASSET output_unconfirmed')
    expect(judged({ evidence }).assetStatus).toBe('NOT_REQUESTED')
    expect(judged({ evidence, claim: claimed }).assetStatus).toBe('UNAVAILABLE')
  })

  test.each([
    ['asset_index_unreachable', 'UNAVAILABLE'],
    ['asset_index_malformed', 'UNAVAILABLE'],
    ['asset_index_reorged', 'UNAVAILABLE'],
    ['asset_index_behind', 'UNAVAILABLE'],
    ['asset_index_unconfigured', 'UNCONFIGURED'],
  ] as const)('an unavailable index, %s: PENDING_ASSET', (reason, assetStatus) => {
    const verdict = judged({ claim: claimed, evidence: evidenceOf({ index: indexAway(reason) }) })
    expect(said(verdict)).toBe(`PENDING_ASSET ${reason}`)
    expect(verdict.assetStatus).toBe(assetStatus)
  })

  test('an index below the block of the output, or that has not examined it: PENDING_ASSET', () => {
    const behind = indexSays({ at: { ...blockAt(OUTPUT_BLOCK.height - 1), version: 'ord 1' } })
    expect(said(judged({ evidence: evidenceOf({ index: behind }) }))).toBe(
      'PENDING_ASSET asset_index_behind',
    )
    const at = indexSays({ at: { ...OUTPUT_BLOCK, version: 'ord 1' } })
    expect(judged({ evidence: evidenceOf({ index: at }) }).state).toBe('LIVE')
    const unexamined = indexSays({ indexed: false })
    expect(said(judged({ evidence: evidenceOf({ index: unexamined }) }))).toBe(
      'PENDING_ASSET output_not_indexed',
    )
  })

  test('the claimed inscription is elsewhere: REJECTED', () => {
    const verdict = judged({ claim: claimed })
    expect(said(verdict)).toBe('REJECTED asset_mismatch')
    expect(verdict.assetStatus).toBe('MISMATCH')
  })

  test('a claim of the right inscription in another output: REJECTED', () => {
    const claim = askClaim({ source: { claimedAsset: assetClaim(FUNDING_OUTPOINT) } })
    const verdict = judged({ claim, evidence: evidenceOf({ index: holding }) })
    expect(said(verdict)).toBe('REJECTED asset_mismatch')
  })

  test.each([
    ['without an output', {}, 'LIVE verified'],
    ['with its transaction', { txid: toTxid(OUTPOINT.slice(0, 64)) }, 'LIVE verified'],
    ['with another transaction', { txid: hash('another') }, 'REJECTED asset_mismatch'],
  ])('a claim of the inscription %s: %s', (_, named, outcome) => {
    const claim = askClaim({ claimedInscription: { inscriptionId: INSCRIPTION, ...named } })
    const verdict = judged({ claim, evidence: evidenceOf({ index: holding }) })
    expect(said(verdict)).toBe(outcome)
    expect(judged({ claim }).reason).toBe('asset_mismatch')
    const away = judged({ claim, evidence: evidenceOf({ node: nodeAway() }) })
    expect(away.assetStatus).toBe('UNAVAILABLE')
  })

  test('a market of inscriptions and an output without one: REJECTED', () => {
    expect(said(judged({ market: INSCRIPTIONS }))).toBe('REJECTED asset_missing')
  })

  test('verified: LIVE, with the number that the index gives', () => {
    const verdict = judged({ claim: claimed, evidence: evidenceOf({ index: holding }) })
    expect(said(verdict)).toBe('LIVE verified')
    expect(verdict.assets).toEqual([{ ...assetClaim(), inscriptionNumber: 7 }])
    expect(verdict).toMatchObject({ nodeStatus: 'READY', assetStatus: 'VERIFIED', remarks: [] })
  })
})

describe('what the owner gets', () => {
  const loss = { ...PAYOUT, valueSats: '9999' }
  const one = { ...PAYOUT, valueSats: '1000' }
  const even = { ...PAYOUT, valueSats: PREVOUT.valueSats }
  test.each([
    ['an ask that pays less than its output holds', askClaim({ offer: { payouts: [loss] } }), true],
    ['an ask that pays as much', askClaim({ offer: { payouts: [even] } }), false],
    ['a bid that pays less', bidClaim({ offer: { payouts: [loss] } }), true],
    [
      'a bid that pays as much, in two outputs',
      bidClaim({ offer: { payouts: [loss, one] } }),
      false,
    ],
  ])('%s', (_, claim, isLoss) => {
    const evidence = claim.offer.side === 'BID' ? bidEvidence() : evidenceOf()
    const verdict = judged({ claim, evidence })
    expect(said(verdict)).toBe('LIVE verified')
    expect(verdict.remarks).toEqual(isLoss ? ['payout_below_input'] : [])
  })
})

describe('undeclared assets', () => {
  const second = `${INSCRIPTION.slice(0, 64)}i1`
  const holds = (...inscriptions: ReturnType<typeof inscriptionAt>[]) =>
    evidenceOf({ index: indexSays({ inscriptions }) })

  test('without a claim the one inscription that is found becomes the asset', () => {
    const verdict = judged({ evidence: holds(inscriptionAt()) })
    expect(said(verdict)).toBe('LIVE verified')
    expect(verdict.assets).toHaveLength(1)
    expect(verdict.assetStatus).toBe('NOT_REQUESTED')
  })

  test('a stack on one sat is one asset, and all of it is listed', () => {
    const verdict = judged({
      claim: claimed,
      evidence: holds(inscriptionAt(), inscriptionAt(second)),
    })
    expect(said(verdict)).toBe('LIVE verified')
    expect(verdict.assets.map(({ inscriptionId }) => inscriptionId)).toEqual([INSCRIPTION, second])
  })

  test('of a stack the claimed inscription is the first asset, wherever the index has it', () => {
    const third = `${INSCRIPTION.slice(0, 64)}i2`
    const verdict = judged({
      claim: askClaim({ source: { claimedAsset: assetClaim(undefined, third) } }),
      evidence: holds(inscriptionAt(), inscriptionAt(second), inscriptionAt(third)),
    })
    expect(said(verdict)).toBe('LIVE verified')
    expect(verdict.assets.map(({ inscriptionId }) => inscriptionId)).toEqual([
      third,
      INSCRIPTION,
      second,
    ])
  })

  test.each([
    ['with a claim', claimed],
    ['without a claim', ask],
  ])('inscriptions on two sats, %s: REJECTED', (_, claim) => {
    const evidence = holds(inscriptionAt(), inscriptionAt(second, '546'))
    expect(said(judged({ claim, evidence }))).toBe('REJECTED undeclared_assets')
  })

  test('runes: REJECTED, unless the market is of runes', () => {
    const evidence = evidenceOf({ index: indexSays({ runes: [{ name: 'DOG', amount: '1' }] }) })
    expect(said(judged({ evidence }))).toBe('REJECTED undeclared_assets')
    expect(said(judged({ evidence, market: RUNES }))).toBe('LIVE verified')
    expect(judged({ evidence, market: RUNES }).remarks).toEqual([])
  })

  test('no runes in a market of runes: LIVE, and it says so', () => {
    const none = evidenceOf({ index: indexSays({ runes: [] }) })
    expect(judged({ evidence: none, market: RUNES })).toMatchObject({
      state: 'LIVE',
      remarks: ['holds_no_runes'],
    })
    expect(judged({ evidence: none }).remarks).toEqual([])
  })

  test('an index without runes: LIVE, and it says so', () => {
    const verdict = judged({ evidence: evidenceOf({ index: indexSays({ runes: null }) }) })
    expect(verdict).toMatchObject({ state: 'LIVE', remarks: ['runes_not_examined'] })
  })

  test('no index and nothing asked for: LIVE, and it says what was not examined', () => {
    const evidence = evidenceOf({ index: indexAway('asset_index_unconfigured') })
    const verdict = judged({ evidence })
    expect(verdict).toMatchObject({ state: 'LIVE', remarks: ['assets_not_examined'] })
    expect(said(judged({ evidence, market: INSCRIPTIONS }))).toBe(
      'PENDING_ASSET asset_index_unconfigured',
    )
  })
})

describe('an earlier answer of the index', () => {
  const rolledBack = indexSays({ at: { ...blockAt(OUTPUT_BLOCK.height - 5), version: 'ord 1' } })

  test.each([
    ['is unavailable', indexAway()],
    ['was rolled back below the output', rolledBack],
    ['has not examined the output anew', indexSays({ indexed: false })],
  ])('holds while the index %s', (_, index) => {
    const question = { claim: claimed, evidence: evidenceOf({ index }) }
    expect(judged(question).state).toBe('PENDING_ASSET')
    expect(said(judged({ ...question, indexProof: holding }))).toBe('LIVE verified')
  })

  test('yields to a new one', () => {
    const verdict = judged({ claim: claimed, indexProof: holding })
    expect(said(verdict)).toBe('REJECTED asset_mismatch')
  })

  test('does not hold when it is another index now, or none', () => {
    const rebuilt = { ...rolledBack, at: { ...rolledBack.at, version: 'ord 2' } }
    for (const index of [rebuilt, indexAway('asset_index_unconfigured')]) {
      const verdict = judged({
        claim: claimed,
        evidence: evidenceOf({ index }),
        indexProof: holding,
      })
      expect(verdict.state).toBe('PENDING_ASSET')
    }
  })
})

describe('whether a verdict rests on the index', () => {
  test.each([
    ['LIVE', {}, true],
    ['a missing asset', { market: INSCRIPTIONS }, true],
    ['a pending index', { evidence: evidenceOf({ index: indexAway() }) }, true],
    ['an unconfirmed output', { evidence: withNode({ output: unspent({ block: null }) }) }, false],
    ['a bad signature', { evidence: withNode({ signatures: [] }) }, false],
    ['a spend', { evidence: withNode({ output: spentBy(spendBy('x')) }) }, false],
    ['no node', { evidence: evidenceOf({ node: nodeAway() }) }, false],
  ])('%s', (_, changes, expected) => {
    expect(judged(changes).restsOnIndex).toBe(expected)
  })
})
