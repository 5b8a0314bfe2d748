import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutPaddings } from '../../../src/domain/purchase/paddings-layout.ts'
import type { PurchaseInput } from '../../../src/domain/purchase/purchase-layout.ts'
import { usualSpend } from '../../../src/domain/script/input-weight.ts'
import { dustThreshold } from '../../../src/domain/script/relay.ts'
import { toTxid } from '../../support/ids.ts'

const P2WPKH = `0014${'cd'.repeat(20)}`
const P2PKH = `76a914${'ef'.repeat(20)}88ac`
const SCRIPTS = [`5120${'ab'.repeat(32)}`, P2WPKH, P2PKH]

const coin = (vout: number, sats: bigint, scriptHex = P2WPKH): PurchaseInput => ({
  outpoint: { txid: toTxid('ab'.repeat(32)), vout },
  output: { valueSats: sats.toString(), scriptHex },
  spend: usualSpend(scriptHex)!.size,
})

const terms = (...funding: bigint[]) => ({
  count: 2,
  sats: 600n,
  funding: funding.map((sats, vout) => coin(vout, sats)),
  paymentScriptHex: P2WPKH,
  feeRate: 1_000n,
})

test('two paddings first, then the change', () => {
  const layout = layOutPaddings(terms(50_000n))
  if (layout.outcome !== 'laid-out') throw new Error(layout.outcome)
  expect(layout.outputs.map(({ valueSats }) => valueSats)).toEqual([
    '600',
    '600',
    layout.changeSats.toString(),
  ])
  // Sizes from BIP141: 10.5 of the frame, 68 for the input, 31 for each output.
  expect(layout.vbytes).toBe(172n)
  expect(layout.changeSats).toBe(50_000n - 1_200n - 172n)
})

test('as few outputs are spent as are enough, in the order named', () => {
  const layout = layOutPaddings(terms(1_000n, 2_000n, 9_000n))
  expect(layout.outcome === 'laid-out' && layout.inputs).toHaveLength(2)
})

test('what would be dust is refused as padding, and is part of the fee as change', () => {
  expect(layOutPaddings({ ...terms(50_000n), sats: 293n })).toEqual({
    outcome: 'dust',
    sats: 293n,
    leastSats: 294n,
  })
  expect(layOutPaddings({ ...terms(50_000n), paymentScriptHex: P2PKH, sats: 545n }).outcome).toBe(
    'dust',
  )
  const small = layOutPaddings(terms(1_500n))
  expect(small).toMatchObject({ outcome: 'laid-out', changeSats: 0n, feeSats: 300n })
})

test('what is missing is said', () => {
  // 1,200 of paddings, and 141 vB without a change.
  expect(layOutPaddings(terms(1_000n))).toEqual({
    outcome: 'insufficient-funds',
    shortfallSats: 341n,
  })
})

const script = fc.constantFrom(...SCRIPTS)

test('whatever pays, each output relays, the sums agree, and the rate is paid', () => {
  fc.assert(
    fc.property(
      fc.record({
        funds: fc.array(fc.tuple(fc.bigInt({ min: 300n, max: 20_000n }), script), {
          minLength: 1,
          maxLength: 20,
        }),
        count: fc.integer({ min: 1, max: 20 }),
        sats: fc.bigInt({ min: 200n, max: 10_000n }),
        paymentScriptHex: script,
        feeRate: fc.bigInt({ min: 100n, max: 100_000n }),
      }),
      ({ funds, paymentScriptHex, count, sats, feeRate }) => {
        const funding = funds.map(([value, of], vout) => coin(vout, value, of))
        const layout = layOutPaddings({ count, sats, funding, paymentScriptHex, feeRate })
        if (layout.outcome === 'dust') {
          expect(sats < dustThreshold(paymentScriptHex)).toBe(true)
          return
        }
        if (layout.outcome === 'insufficient-funds') {
          expect(layout.shortfallSats > 0n).toBe(true)
          return
        }
        const { inputs, outputs, feeSats, vbytes, foldedSats } = layout
        expect(inputs).toEqual(funding.slice(0, inputs.length))
        expect(outputs.slice(0, count).every(({ valueSats }) => valueSats === `${sats}`)).toBe(true)
        expect(outputs.length - count).toBe(layout.changeSats > 0n ? 1 : 0)
        for (const { valueSats, scriptHex } of outputs) {
          expect(scriptHex).toBe(paymentScriptHex)
          expect(BigInt(valueSats) >= dustThreshold(scriptHex)).toBe(true)
        }
        expect(feeSats).toBe((feeRate * vbytes + 999n) / 1_000n + foldedSats)
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) },
  )
})
