import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runeLanding } from '../../../src/domain/assets/runestone.ts'
import { landingOf } from '../../../src/domain/assets/sat-flow.ts'
import { feeAt } from '../../../src/domain/chain/fee-rate.ts'
import { layOutPurchase, type PurchaseTerms } from '../../../src/domain/purchase/purchase-layout.ts'
import { transactionVbytes, usualSpend } from '../../../src/domain/script/input-weight.ts'
import { dustThreshold } from '../../../src/domain/script/relay.ts'
import { toTxid } from '../../support/ids.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const P2TR = `5120${'11'.repeat(32)}`
const P2WPKH = `0014${'22'.repeat(20)}`
const SCRIPTS = [
  P2TR,
  P2WPKH,
  `a914${'33'.repeat(20)}87`,
  `0020${'44'.repeat(32)}`,
  `76a914${'55'.repeat(20)}88ac`,
]

const input = (scriptHex: string, sats: bigint, vout = 0) => ({
  outpoint: { txid: toTxid('aa'.repeat(32)), vout },
  output: { scriptHex, valueSats: sats.toString() },
  spend: usualSpend(scriptHex)!.size,
})

const terms = (changes: Partial<PurchaseTerms> = {}): PurchaseTerms => ({
  seller: input(P2TR, 10_000n),
  payout: { scriptHex: P2TR, valueSats: '50000' },
  paddings: [input(P2WPKH, 600n, 1), input(P2WPKH, 600n, 2)],
  funding: [input(P2WPKH, 100_000n, 3)],
  receiveScriptHex: P2TR,
  paymentScriptHex: P2WPKH,
  movesRunes: false,
  feeRate: 2_000n,
  version: 2,
  ...changes,
})

const laidOut = (given: PurchaseTerms) => {
  const layout = layOutPurchase(given)
  if (layout.outcome !== 'laid-out') throw new Error(layout.outcome)
  return layout
}

describe('the layout of a purchase', () => {
  test('paddings merge first, the asset follows, payout and seller share an index', () => {
    const layout = laidOut(terms())
    expect(layout.inputs.map(({ outpoint }) => outpoint.vout)).toEqual([1, 2, 0, 3])
    const { feeSats, changeSats } = layout
    expect(layout.outputs).toEqual([
      { scriptHex: P2WPKH, valueSats: '1200' },
      { scriptHex: P2TR, valueSats: '10000' },
      { scriptHex: P2TR, valueSats: '50000' },
      { scriptHex: P2WPKH, valueSats: changeSats.toString() },
    ])
    expect(feeSats + changeSats).toBe(50_000n)
    expect(feeSats).toBe(feeAt(2_000n, layout.vbytes))
  })

  test.each([100_000n, 51_000n])(
    'runes: with %i sats of funding a message sends them where the asset goes',
    (sats) => {
      const funding = [input(P2WPKH, sats, 3)]
      const [plain, layout] = [false, true].map((movesRunes) =>
        laidOut(terms({ movesRunes, funding })),
      )
      const scripts = layout!.outputs.map(({ scriptHex }) => scriptHex)
      expect(layout!.outputs.at(-1)).toEqual({ scriptHex: '6a5d021601', valueSats: '0' })
      expect(runeLanding(scripts)).toEqual({ kind: 'outputs', indexes: [1] })
      expect(runeLanding(plain!.outputs.map(({ scriptHex }) => scriptHex))).toEqual({
        kind: 'outputs',
        indexes: [0],
      })
      expect(layout!.vbytes - plain!.vbytes).toBe(14n)
      expect(layout!.feeSats).toBeGreaterThanOrEqual(feeAt(2_000n, layout!.vbytes))
    },
  )

  test('change below dust becomes part of the fee', () => {
    const { feeSats } = laidOut(terms())
    const layout = laidOut(terms({ funding: [input(P2WPKH, 50_000n + feeSats + 293n)] }))
    expect(layout).toMatchObject({ changeSats: 0n, feeSats: feeSats + 293n })
    expect(layout.outputs).toHaveLength(3)
    expect(layout.foldedSats).toBe(layout.feeSats - feeAt(2_000n, layout.vbytes))
    const above = laidOut(terms({ funding: [input(P2WPKH, 50_000n + feeSats + 294n)] }))
    expect(above).toMatchObject({ changeSats: 294n, feeSats, foldedSats: 0n })
  })

  test('the missing amount is exact to the sat', () => {
    const poor = layOutPurchase(terms({ funding: [input(P2WPKH, 50_000n)] }))
    if (poor.outcome !== 'insufficient-funds') throw new Error(poor.outcome)
    const exact = laidOut(terms({ funding: [input(P2WPKH, 50_000n + poor.shortfallSats)] }))
    expect(exact).toMatchObject({ changeSats: 0n, foldedSats: 0n })
  })

  test('merged paddings and an asset below dust are refused', () => {
    const paddings = [input(P2WPKH, 100n), input(P2WPKH, 100n)] as const
    expect(layOutPurchase(terms({ paddings }))).toEqual({
      outcome: 'dust',
      output: 'merged padding',
      sats: 200n,
      leastSats: 294n,
    })
    expect(layOutPurchase(terms({ seller: input(P2WPKH, 300n) }))).toMatchObject({
      outcome: 'dust',
      output: 'asset',
      leastSats: 330n,
    })
  })

  test('of version 3 it has at most 10,000 vB (BIP431), of any other more', () => {
    const coins = (count: number) =>
      Array.from({ length: count }, (_, at) => input(P2WPKH, 100_000n, at + 3))
    const sized = (count: number, version: number) =>
      layOutPurchase(terms({ funding: coins(count), version }))
    const { vbytes } = laidOut(terms({ funding: coins(150) }))
    expect(sized(140, 3)).toMatchObject({ outcome: 'laid-out' })
    expect(vbytes).toBeGreaterThan(10_000n)
    expect(sized(150, 3)).toEqual({ outcome: 'too-large', vbytes, mostVbytes: 10_000n })
  })

  test('nothing is lost or created, the rate is kept, and every sat of the asset keeps its place', () => {
    const script = fc.constantFrom(...SCRIPTS)
    const coin = (max: bigint) =>
      fc.tuple(script, fc.bigInt({ min: 1n, max })).map(([hex, sats]) => input(hex, sats))
    const given = fc.record({
      seller: coin(20_000n),
      payout: fc.record({
        scriptHex: script,
        valueSats: fc.bigInt({ min: 546n, max: 10n ** 8n }).map(String),
      }),
      paddings: fc.tuple(coin(2_000n), coin(2_000n)),
      funding: fc.array(coin(10n ** 9n), { minLength: 1, maxLength: 5 }),
      receiveScriptHex: script,
      paymentScriptHex: script,
      movesRunes: fc.boolean(),
      version: fc.constantFrom(1, 2, 3),
      feeRate: fc.bigInt({ min: 100n, max: 500_000n }),
    })
    fc.assert(
      fc.property(given, fc.bigInt({ min: 0n, max: 19_999n }), (purchase, at) => {
        const layout = layOutPurchase(purchase)
        if (layout.outcome !== 'laid-out') return
        const ins = layout.inputs.map(({ output }) => BigInt(output.valueSats))
        const outs = layout.outputs.map(({ valueSats }) => BigInt(valueSats))
        const sum = (all: bigint[]) => all.reduce((a, b) => a + b, 0n)
        expect(sum(ins)).toBe(sum(outs) + layout.feeSats)
        expect(layout.feeSats).toBeGreaterThanOrEqual(feeAt(purchase.feeRate, layout.vbytes))
        expect(layout.vbytes).toBe(
          transactionVbytes(
            layout.inputs.map(({ spend }) => spend),
            layout.outputs.map(({ scriptHex }) => scriptHex),
          ),
        )
        const paying = purchase.movesRunes ? layout.outputs.slice(0, -1) : layout.outputs
        for (const { scriptHex, valueSats } of paying) {
          expect(BigInt(valueSats)).toBeGreaterThanOrEqual(
            scriptHex === purchase.payout.scriptHex ? 294n : dustThreshold(scriptHex),
          )
        }
        const offset = at % BigInt(purchase.seller.output.valueSats)
        expect(landingOf({ input: 2, offset }, ins, outs)).toEqual({
          kind: 'output',
          index: 1,
          offset,
        })
      }),
      { numRuns: RUNS },
    )
  })
})
