import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRelayable } from '../../../src/domain/script/relay.ts'
import { judge, reasonsAgainst, type VerdictQuestion } from '../../../src/domain/verdict/verdict.ts'
import { IndexTrouble, NodeTrouble, SignatureEvidence } from '../../../src/schemas/evidence.ts'
import type { OfferClaim } from '../../../src/schemas/order-record.ts'
import type { SignatureStatus } from '../../../src/schemas/scalars.ts'
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
  OUTPUT_BLOCK,
  PREVOUT,
  RUNES,
  spendBlock,
  spendBy,
  spentBy,
  TIP_HEIGHT,
  unspent,
} from '../../support/orders/evidence.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

// ---- anything that the authorities and the senders may say
// ----------------------------------------

/** Mostly what a valid order has, so that some are LIVE. */
const mostly = <T>(good: T, ...others: T[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(good) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  )

const spends = fc.record({
  block: fc.constantFrom(null, spendBlock()),
  pairedOutput: fc.constantFrom(null, PREVOUT, askClaim().offer.payouts[0] ?? null),
  unsignedTxid: fc.constantFrom(hash('unsigned other'), bidClaim().offer.unsignedTxid),
})
const outputs = (output = PREVOUT) =>
  fc.oneof(
    fc.constant(MISSING),
    spends.map((spend) => spentBy(spendBy('spender', spend))),
    fc.boolean().map((confirmed) => spentBy(null, confirmed)),
    {
      weight: 9,
      arbitrary: fc
        .record({
          block: mostly(OUTPUT_BLOCK, null, blockAt(TIP_HEIGHT), blockAt(TIP_HEIGHT - 99)),
          coinbase: fc.boolean(),
          output: mostly(output, { ...output, scriptHex: BUYER }),
          priorMedianTime: fc.constantFrom(null, 1_799_990_000),
        })
        .map(unspent),
    },
  )
const inscriptions = fc.array(
  fc
    .tuple(fc.constantFrom(INSCRIPTION, `${hash('other')}i0`), fc.constantFrom('0', '546'))
    .map(([id, offset]) => inscriptionAt(id, offset)),
  { maxLength: 3 },
)
const indexes = fc.oneof(
  fc.constantFrom(...IndexTrouble.options).map(indexAway),
  fc
    .record({
      at: fc
        .tuple(fc.constantFrom(850, 900, TIP_HEIGHT), fc.constantFrom('ord 1', 'ord 2'))
        .map(([height, version]) => ({ ...blockAt(height), version })),
      indexed: fc.boolean(),
      inscriptions,
      runes: mostly<{ name: string; amount: string }[] | null>([], null, [
        { name: 'DOG', amount: '1' },
      ]),
    })
    .map(indexSays),
)
const claims: fc.Arbitrary<OfferClaim> = fc
  .record({
    make: fc.constantFrom(askClaim, bidClaim),
    isSupported: mostly(true, false),
    asset: fc.constantFrom(undefined, assetClaim(), assetClaim(FUNDING_OUTPOINT)),
    claimedPrevout: mostly<OfferClaim['claimedPrevout']>(PREVOUT, null, {
      ...PREVOUT,
      valueSats: '1',
    }),
    version: mostly(2, 0, 1, 3, 4),
    locktime: mostly(0, TIP_HEIGHT, TIP_HEIGHT + 5, 499_999_999, 1_900_000_000),
    sequence: mostly(0xfffffffd, 0, 1, 500, 0x00400000 | 9, 0xffffffff),
  })
  .map(({ make, isSupported, asset, claimedPrevout, version, locktime, sequence }) => {
    const made = make({
      source: asset ? { claimedAsset: asset } : {},
      claimedPrevout,
      offer: { version, locktime, sequences: [sequence, 0xfffffffd] },
    })
    if (isSupported) return made
    const inspection = { ...made.inspection, orderClass: 'UNSUPPORTED' as const }
    return { ...made, inspection: { ...inspection, reasons: ['unsigned'] } }
  })
const nodes = (claim: OfferClaim) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...NodeTrouble.options).map(nodeAway) },
    {
      weight: 6,
      arbitrary: fc
        .record({
          output: outputs(),
          funding: outputs(FUNDING).map((output) => [
            { outpoint: FUNDING_OUTPOINT, output, signature: 'VALID' as const },
          ]),
          signatures: fc.array(
            fc.record({
              digest: mostly(claim.inspection.digest, hash('another')),
              status: mostly<SignatureStatus>('VALID', 'INVALID', 'NONE', 'UNAVAILABLE'),
              reason: fc.constantFrom(null, ...SignatureEvidence.shape.reason.unwrap().options),
              by: fc.constant('local' as const),
            }),
            { minLength: 1, maxLength: 2 },
          ),
        })
        .map(nodeSays),
    },
  )
const questions: fc.Arbitrary<VerdictQuestion> = claims.chain((claim) =>
  fc.record({
    claim: fc.constant(claim),
    evidence: fc.record({ node: nodes(claim), index: indexes }).map(evidenceOf),
    market: fc.constantFrom(NO_MARKET, INSCRIPTIONS, RUNES),
    indexProof: fc.option(indexes),
  }),
)

// ---- the rows, each broken alone
// ------------------------------------------------------------------

/** A question that is LIVE, and how to break each row of the table in it, in the table's order. */
const base: VerdictQuestion = {
  claim: bidClaim({ source: { claimedAsset: assetClaim() } }),
  evidence: evidenceOf({
    node: nodeSays({
      funding: [
        {
          outpoint: FUNDING_OUTPOINT,
          output: unspent({ output: FUNDING }),
          signature: 'VALID',
        },
      ],
      signatures: [
        { digest: bidClaim().inspection.digest, status: 'VALID', reason: null, by: 'local' },
      ],
    }),
    index: indexSays({ inscriptions: [inscriptionAt()] }),
  }),
  market: NO_MARKET,
  indexProof: null,
}

type Break = (question: VerdictQuestion) => VerdictQuestion
const ofClaim =
  (change: (claim: OfferClaim) => OfferClaim): Break =>
  (question) => ({ ...question, claim: change(question.claim) })
const ofOffer = (changes: Partial<OfferClaim['offer']>) =>
  ofClaim((claim) => ({ ...claim, offer: { ...claim.offer, ...changes } }))
const ofNode =
  (changes: Parameters<typeof nodeSays>[0]): Break =>
  (question) => {
    const { node } = question.evidence
    if (node.status !== 'ready') return question
    return { ...question, evidence: { ...question.evidence, node: { ...node, ...changes } } }
  }
const ofIndex =
  (index: VerdictQuestion['evidence']['index']): Break =>
  (question) => ({ ...question, evidence: { ...question.evidence, index } })

const ROWS: [outcome: string, broken: Break][] = [
  [
    'REJECTED unsigned',
    ofClaim((claim) => ({
      ...claim,
      inspection: { ...claim.inspection, orderClass: 'UNSUPPORTED', reasons: ['unsigned'] },
    })),
  ],
  [
    'PENDING_NODE node_in_ibd',
    (question) => ({
      ...question,
      evidence: { ...question.evidence, node: nodeAway('node_in_ibd') },
    }),
  ],
  ['SPENT spent', ofNode({ output: spentBy(spendBy('thief', { block: spendBlock() })) })],
  ['SPENT spender_unknown', ofNode({ output: spentBy(null, true) })],
  ['REJECTED outpoint_missing', ofNode({ output: MISSING })],
  [
    `MEMPOOL_CONFLICTED mempool_conflict ${hash('conflict')}`,
    ofNode({ output: spentBy(spendBy('conflict')) }),
  ],
  [
    'REJECTED witness_utxo_mismatch',
    ofClaim((claim) => ({ ...claim, claimedPrevout: { ...PREVOUT, valueSats: '9' } })),
  ],
  ['REJECTED bid_funding_spent', ofNode({ funding: [] })],
  ['REJECTED bid_funding_unsigned', ofNode({ signatures: [] })],
  ['REJECTED not_relayable', ofOffer({ version: 0 })],
  [`PENDING_NODE not_final_until ${TIP_HEIGHT + 10}`, ofOffer({ locktime: TIP_HEIGHT + 9 })],
  ['PENDING_ASSET asset_index_unreachable', ofIndex(indexAway())],
  ['REJECTED asset_mismatch', ofIndex(indexSays())],
]
/** Two rows that contradict each other about the output, or about the index, exclude each other. */
const EXCLUSIVE = [
  [2, 3, 4, 5],
  [11, 12],
]

describe('the verdict', () => {
  test('is LIVE when no row is broken', () => {
    expect(judge(base)).toMatchObject({ state: 'LIVE', reason: 'verified' })
  })

  test('is that of the first row that is broken, whatever else is', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(ROWS.length - 1), { minLength: 1 }), (chosen) => {
        const broken = chosen.filter(
          (row) =>
            !EXCLUSIVE.some(
              (group) => group.includes(row) && row !== chosen.find((one) => group.includes(one)),
            ),
        )
        // The node's absence is applied last: a missing answer cannot be changed.
        const order = broken.toSorted((a, b) => Number(a === 1) - Number(b === 1))
        const question = order.reduce((last, row) => ROWS[row]?.[1](last) ?? last, base)
        const { state, reason } = judge(question)
        expect(`${state} ${reason}`).toBe(ROWS[Math.min(...broken)]?.[0])
      }),
      { numRuns: RUNS },
    )
  })

  test('never throws, and LIVE means that no row is broken', () => {
    let lives = 0
    // Few of all questions are LIVE: some in ten thousand draws, and now and then none.
    const parts = ['claim', 'evidence', 'market', 'indexProof'] as const
    const near = fc
      .tuple(questions, fc.subarray([...parts], { maxLength: 1 }))
      .map(([question, [part]]) => (part ? { ...base, [part]: question[part] } : base))
    const mixed = fc.oneof({ arbitrary: questions, weight: 9 }, { arbitrary: near, weight: 1 })
    fc.assert(
      fc.property(mixed, (question) => {
        const verdict = judge(question)
        const reasons = reasonsAgainst(question)
        // Its reasons begin with the decisive one.
        expect(reasons[0] ?? 'verified').toBe(verdict.reason)
        expect(new Set(reasons).size).toBe(reasons.length)
        if (verdict.state !== 'LIVE') return
        lives += 1
        expectProved(question)
      }),
      { numRuns: RUNS * 5 },
    )
    expect(lives).toBeGreaterThan(0)
  })
})

/** What LIVE promises, stated again and in other words than the table's. */
function expectProved({ claim, evidence, market, indexProof }: VerdictQuestion) {
  const { node, index } = evidence
  const { inspection, offer, claimedPrevout, source } = claim
  expect(inspection.orderClass).not.toBe('UNSUPPORTED')
  expect(node).toMatchObject({ status: 'ready', output: { status: 'unspent' } })
  if (node.status !== 'ready' || node.output.status !== 'unspent') return
  const { output } = node
  expect([null, JSON.stringify(output.output)]).toContain(
    claimedPrevout && JSON.stringify(claimedPrevout),
  )
  const signature = node.signatures.find(({ digest }) => digest === inspection.digest)
  expect(signature?.status).toBe('VALID')
  expect(isRelayable(offer)).toBe(true)
  expect(output.block).not.toBeNull()
  if (output.coinbase)
    expect(TIP_HEIGHT + 1 - (output.block?.height ?? 0)).toBeGreaterThanOrEqual(100)
  if (offer.side === 'BID') {
    expect(node.funding.map((input) => input.output.status)).toEqual(['unspent'])
  }
  const unconfigured = index.status === 'unavailable' && index.reason === 'asset_index_unconfigured'
  if (unconfigured) {
    expect(market.assetRequirement).not.toBe('INSCRIPTION')
    expect(source.claimedAsset).toBeUndefined()
    return
  }
  const answers = [index, indexProof].filter((one) => one?.status === 'ready')
  expect(answers.some((one) => isProof(one, claim, market))).toBe(true)
}

function isProof(
  answer: VerdictQuestion['indexProof'],
  { offer, source }: OfferClaim,
  market: VerdictQuestion['market'],
): boolean {
  if (answer?.status !== 'ready' || !answer.indexed || !answer.inscriptions) return false
  const { claimedAsset } = source
  const ids = answer.inscriptions.map(({ id }) => id)
  const isClaimTrue =
    !claimedAsset ||
    (ids.includes(claimedAsset.inscriptionId) &&
      `${claimedAsset.outpoint.txid}:${claimedAsset.outpoint.vout}` === offer.outpoint)
  const hasRequired = market.assetRequirement !== 'INSCRIPTION' || ids.length > 0
  const sats = new Set(answer.inscriptions.map(({ offset }) => offset))
  const hasRunes = (answer.runes ?? []).length > 0 && !market.sellsRunes
  return isClaimTrue && hasRequired && sats.size <= 1 && !hasRunes
}
