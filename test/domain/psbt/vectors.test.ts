import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PsbtRefusedError } from '../../../src/domain/psbt/psbt-refused.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { vector } from '../../support/vectors.ts'

const Bip = z.record(
  z.string(),
  z.object({
    invalid: z.array(z.object({ case: z.string(), psbt: z.string() })),
    valid: z.array(z.string()),
    examples: z.array(z.string()),
  }),
)
const Core = z.object({ valid: z.array(z.string()), invalid: z.array(z.string()) })

/** The exact reason, or 'accepted'; anything but a refusal fails the test. */
function outcome(psbt: string): string {
  try {
    inspectPsbt(psbt)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof PsbtRefusedError)) throw error
    return error.message
  }
}

/** Valid PSBTs that are not orders: the limits refuse them, and so do conflicting locktimes. */
const NO_ORDER = new Set([
  'the PSBT has no inputs',
  'the PSBT has no outputs',
  'the PSBT is not valid: PSBTv2: incompatible height-based and time-based locktime requirements',
])

describe('the PSBTs of BIP-174, BIP-370 and BIP-371', () => {
  test('every invalid one is refused', () => {
    for (const [bip, { invalid }] of Object.entries(Bip.parse(vector('bip-psbt.json')))) {
      expect(invalid.length).toBeGreaterThan(0)
      for (const { case: name, psbt } of invalid) {
        expect(outcome(psbt), `${bip} ${name}`).not.toBe('accepted')
      }
    }
  })

  test('every valid one that may be an order is accepted', () => {
    for (const [bip, { valid, examples }] of Object.entries(Bip.parse(vector('bip-psbt.json')))) {
      for (const psbt of [...valid, ...examples]) {
        const result = outcome(psbt)
        if (!NO_ORDER.has(result)) expect(result, `${bip} ${psbt}`).toBe('accepted')
      }
    }
  })

  test('the reason for a version 2 PSBT is about version 2', () => {
    const bip370 = Bip.parse(vector('bip-psbt.json'))['BIP-370']!
    const reasonOf = (name: string) =>
      outcome(bip370.invalid.find((one) => one.case === name)?.psbt ?? '')
    expect(reasonOf('version 0 with PSBT_OUT_AMOUNT')).toContain(
      'PSBTv0: field amount is not allowed',
    )
    expect(reasonOf('version 2 without PSBT_OUT_AMOUNT')).toContain(
      'PSBTv2: missing required field amount',
    )
  })
})

describe('the PSBTs of Bitcoin Core', () => {
  test('every invalid one is refused', () => {
    const { invalid } = Core.parse(vector('rpc_psbt.json'))
    expect(invalid.length).toBeGreaterThan(0)
    for (const psbt of invalid) expect(outcome(psbt), psbt).not.toBe('accepted')
  })

  test('every valid one that may be an order is accepted', () => {
    const { valid } = Core.parse(vector('rpc_psbt.json'))
    for (const psbt of valid) {
      const result = outcome(psbt)
      if (!NO_ORDER.has(result)) expect(result, psbt).toBe('accepted')
    }
  })
})
