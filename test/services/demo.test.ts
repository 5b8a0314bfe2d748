import { beforeAll, describe, expect, test } from 'vitest'
import { type DemoRun, runDemo, valuesOf } from '../support/services/run-demo.ts'

describe('the demo on Bitcoin Core and ord', () => {
  let run: DemoRun
  beforeAll(async () => {
    run = await runDemo(['--real'])
  })

  test('every expectation holds: it ends with 0 and says so', () => {
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toMatch(/^ {2}full node {5}Bitcoin Core \S+ on http:\/\/127\.0\.0\.1:/m)
    expect(run.stdout).toMatch(/^ {2}asset index {3}ord \S+ on http:\/\/127\.0\.0\.1:/m)
    expect(run.stdout).toMatch(/^8 acts, [0-9]+ requests, every answer as it had to be\.$/m)
  })

  test('Core accepts each purchase that the preflight allowed', () => {
    const allowed = valuesOf(run, 'txid')
    expect(allowed).toHaveLength(3)
    expect(valuesOf(run, 'accepts')).toEqual(expect.arrayContaining(allowed))
  })

  test('ord finds each inscription sold in the output of its buyer, at its own offset', () => {
    const [sold, , reorganised] = valuesOf(run, 'txid')
    const satpoints = valuesOf(run, 'satpoint')
    expect(satpoints.filter((one) => one.endsWith(':1:0'))).toEqual([`${sold}:1:0`])
    // Before the reorg and after it.
    expect(satpoints.filter((one) => one.includes(':1:777'))).toEqual([
      `${reorganised}:1:777`,
      `${reorganised}:1:777`,
    ])
    expect(valuesOf(run, 'pays')).toHaveLength(3)
  })

  test('what would lose an asset is refused, though Core would mine it', () => {
    expect(valuesOf(run, 'rejectReason')).toEqual([
      'asset_to_fee',
      'asset_burned',
      'asset_to_payout',
    ])
    expect(run.stdout.match(/^ {6}node {4}would take it +yes$/gm)).toHaveLength(3)
  })
})
