import fc from 'fast-check'
import { expect, test } from 'vitest'
import { layOutSelfSpend } from '../../../src/domain/exposure/self-spend.ts'
import type { PurchaseInput } from '../../../src/domain/purchase/purchase-layout.ts'
import { usualSpend } from '../../../src/domain/script/input-weight.ts'
import { dustThreshold } from '../../../src/domain/script/relay.ts'
import { toTxid } from '../../support/ids.ts'

const SCRIPTS = [`5120${'ab'.repeat(32)}`, `0014${'cd'.repeat(20)}`, `76a914${'ef'.repeat(20)}88ac`]

const coin = (vout: number, sats: bigint, scriptHex: string): PurchaseInput => ({
  outpoint: { txid: toTxid('ab'.repeat(32)), vout },
  output: { valueSats: sats.toString(), scriptHex },
  spend: usualSpend(scriptHex)!.size,
})

const sats = fc.oneof(
  fc.bigInt({ min: 300n, max: 1_200n }),
  fc.bigInt({ min: 1_000n, max: 10n ** 8n }),
)
const script = fc.constantFrom(...SCRIPTS)

test('whatever its inputs, a self-spend loses no sat of an asset and pays what it says', () => {
  fc.assert(
    fc.property(
      fc.record({
        value: sats,
        own: script,
        funds: fc.array(fc.tuple(sats, script), { maxLength: 4 }),
        destinationScriptHex: script,
        changeScriptHex: script,
        place: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
        isSoldBySats: fc.boolean(),
        feeRate: fc.bigInt({ min: 100n, max: 100_000n }),
      }),
      ({ value, own, funds, place, isSoldBySats, feeRate, ...scripts }) => {
        const funding = funds.map(([amount, of], at) => coin(at + 1, amount, of))
        // The last sat is a position too.
        const lastOffset =
          place === null
            ? null
            : BigInt(Math.min(Number(value) - 1, Math.floor(place * Number(value))))
        const exposed = coin(0, value, own)
        const assets = { lastOffset, isSoldBySats }
        const layout = layOutSelfSpend({ exposed, funding, ...scripts, ...assets, feeRate })
        if (layout.outcome !== 'laid-out') return
        const amounts = layout.outputs.map(({ valueSats }) => BigInt(valueSats))
        const spent = layout.inputs.reduce((sum, { output }) => sum + BigInt(output.valueSats), 0n)
        expect(amounts.reduce((sum, one) => sum + one, 0n) + layout.feeSats).toBe(spent)
        expect(layout.inputs[0]).toBe(exposed)
        const [first = 0n] = amounts
        expect(first > (lastOffset ?? -1n)).toBe(true)
        if (funding.length > 0 || isSoldBySats) expect(first).toBe(value)
        else expect(layout.feeSats <= value / 2n).toBe(true)
        for (const { valueSats, scriptHex } of layout.outputs) {
          expect(BigInt(valueSats) >= dustThreshold(scriptHex)).toBe(true)
        }
        // At least what the rate requires, and never more by the value of a change output.
        const least = (feeRate * layout.vbytes + 999n) / 1_000n
        expect(layout.feeSats).toBe(least + layout.foldedSats)
        const withChange = dustThreshold(scripts.changeScriptHex) + (feeRate * 43n) / 1_000n + 1n
        expect(layout.foldedSats < withChange).toBe(true)
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 500) },
  )
})

test.each([
  ['fee-too-high', 10_000n, 60_000n, null, false],
  ['asset-in-fee', 10_000n, 2_000n, 9_999n, false],
  ['sats-in-fee', 10_000n, 2_000n, null, true],
  // 546 and 330 sats are the usual postage: it keeps its value where others pay.
  ['dust-after-fee', 546n, 2_000n, null, false],
  ['dust-after-fee', 330n, 1_000n, null, false],
  ['dust', 329n, 1_000n, null, false],
])('%s', (outcome, value, feeRate, lastOffset, isSoldBySats) => {
  const layout = layOutSelfSpend({
    exposed: coin(0, value, SCRIPTS[1]!),
    funding: [],
    destinationScriptHex: SCRIPTS[0]!,
    changeScriptHex: SCRIPTS[0]!,
    lastOffset,
    isSoldBySats,
    feeRate,
  })
  expect(layout.outcome).toBe(outcome)
})
