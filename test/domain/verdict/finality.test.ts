import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ChainTip,
  type CommittedInput,
  countsSeconds,
  isFinalAt,
  notFinalUntil,
} from '../../../src/domain/verdict/finality.ts'
import { blockAt } from '../../support/orders/evidence.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const TIP: ChainTip = { height: 1_000, medianTime: 1_700_000_000 }
const SECONDS = 0x00400000
const OFF = 0x80000000

const input = (sequence: number, height: number | null = 900, changes = {}): CommittedInput => ({
  sequence,
  output: {
    block: height === null ? null : blockAt(height),
    coinbase: false,
    priorMedianTime: null,
    ...changes,
  },
})
const until = (inputs: CommittedInput[], locktime = 0, version = 2) =>
  notFinalUntil({ locktime, version }, inputs, TIP)

describe('nLockTime (BIP113)', () => {
  test.each([
    ['0', 0, null],
    ['a height that the tip has', 1_000, null],
    ['the height of the next block', 1_001, 1_002],
    ['a distant height', 900_000, 900_001],
    ['the last height there is, which must not read as a time', 499_999_999, 499_999_999],
    ['a time before the median time past', 1_699_999_999, null],
    ['the median time past itself', 1_700_000_000, 1_700_000_001],
    ['the last time there is', 0xffffffff, 0x100000000],
  ])('%s', (_, locktime, expected) => {
    expect(until([input(0xfffffffd)], locktime)).toBe(expected)
  })

  test('does not count where every committed input is final', () => {
    expect(until([input(0xffffffff)], 900_000)).toBeNull()
    expect(until([input(0xffffffff), input(0xfffffffe)], 900_000)).toBe(900_001)
  })
})

describe('relative locks (BIP68)', () => {
  test.each([
    ['that have passed', 101, 900, null],
    ['that pass with the next block', 101, 901, 1_002],
    ['of one block, on an output of the tip', 1, 1_000, null],
    ['of two blocks, on an output of the tip', 2, 1_000, 1_002],
    ['of one block, on an output of the mempool', 1, null, 1_002],
    ['of no blocks', 0, null, null],
    ['that are switched off', OFF | 101, 1_000, null],
    ['of the greatest number of blocks', 0xffff, 900, 66_435],
    ['with meaningless bits', 0x003f0000 | 101, 901, 1_002],
  ])('in blocks, %s', (_, sequence, height, expected) => {
    expect(until([input(sequence >>> 0, height)])).toBe(expected)
  })

  test.each([
    ['that have passed', TIP.medianTime - 512, null],
    ['that pass in a second', TIP.medianTime - 511, TIP.medianTime + 1],
  ])('in units of 512 seconds, %s', (_, priorMedianTime, expected) => {
    expect(until([input(SECONDS | 1, 900, { priorMedianTime })])).toBe(expected)
  })

  test('in seconds, on an output whose age is not known: not final', () => {
    expect(until([input(SECONDS | 1, null)])).toBe(TIP.medianTime + 512)
  })

  test('do not count in a transaction of version 1', () => {
    expect(until([input(101, 1_000)], 0, 1)).toBeNull()
  })

  test('count for every committed input', () => {
    expect(until([input(0xfffffffd), input(10, 1_000)])).toBe(1_010)
  })

  test('count seconds only where both bits say so', () => {
    expect([SECONDS | 1, 1, (OFF | SECONDS) >>> 0].map(countsSeconds)).toEqual([true, false, false])
  })
})

describe('coinbase maturity', () => {
  test.each([
    [901, null],
    [902, 1_002],
    [1_000, 1_100],
  ])('an output of height %d below a tip of 1000', (height, expected) => {
    expect(until([input(0xfffffffd, height, { coinbase: true })])).toBe(expected)
  })
})

/**
 * The rules as a node applies them to a transaction in the next block (Core `CheckFinalTx`,
 * `CheckSequenceLocks`).
 */
function nodeAccepts(locktime: number, version: number, inputs: CommittedInput[], tip: ChainTip) {
  const height = tip.height + 1
  const passed = locktime < (locktime < 500_000_000 ? height : tip.medianTime)
  const isFinal = locktime === 0 || passed || inputs.every((one) => one.sequence === 0xffffffff)
  const locks = inputs.every(({ sequence, output }) => {
    const coinHeight = output.block?.height ?? height
    if (output.coinbase && output.block && height - coinHeight < 100) return false
    if (version < 2 || sequence >= OFF) return true
    if (sequence & SECONDS) {
      const coinTime = output.priorMedianTime ?? tip.medianTime
      return coinTime + (sequence & 0xffff) * 512 - 1 < tip.medianTime
    }
    return coinHeight + (sequence & 0xffff) - 1 < height
  })
  return isFinal && locks
}

const inputs = fc.array(
  fc.record({
    sequence: fc.oneof(
      fc.integer({ min: 0, max: 0xffffffff }),
      fc.constantFrom(0, 1, 100, SECONDS | 1, SECONDS | 100, 0xfffffffd, 0xffffffff),
    ),
    output: fc.record({
      block: fc.option(fc.integer({ min: 0, max: 1_000 }).map((height) => blockAt(height))),
      coinbase: fc.boolean(),
      priorMedianTime: fc.option(fc.integer({ min: 1_699_900_000, max: 1_700_000_000 })),
    }),
  }),
  { minLength: 1, maxLength: 3 },
)
const locktimes = fc.oneof(
  fc.constantFrom(0, 999, 1_000, 1_001, 499_999_999, 500_000_000, 1_699_999_999, 1_700_000_000),
  fc.integer({ min: 0, max: 0xffffffff }),
)

test('an offer is final when a node would accept its completion, and waits for something when not', () => {
  fc.assert(
    fc.property(inputs, locktimes, fc.constantFrom(1, 2, 3), (committed, locktime, version) => {
      const found = notFinalUntil({ locktime, version }, committed, TIP)
      expect(found === null).toBe(nodeAccepts(locktime, version, committed, TIP))
      if (found !== null) expect(isFinalAt(found, TIP)).toBe(false)
    }),
    { numRuns: RUNS },
  )
})

test('the awaited locks, one after another, end in a final offer', () => {
  fc.assert(
    fc.property(inputs, fc.constantFrom(0, 1_500, 1_700_100_000), (committed, locktime) => {
      const aged = committed.map((one) => ({
        ...one,
        output: { ...one.output, block: one.output.block ?? blockAt(1_000) },
      }))
      let tip = TIP
      for (let step = 0; step < 8; step += 1) {
        const found = notFinalUntil({ locktime, version: 2 }, aged, tip)
        if (found === null) return
        tip =
          found < 500_000_000
            ? { ...tip, height: found - 1 }
            : { ...tip, medianTime: Math.max(found, tip.medianTime) }
        expect(isFinalAt(found, tip)).toBe(true)
      }
      // An unknown age counts from now: it is asked for again, never taken as passed.
      expect(aged.some(({ output }) => output.priorMedianTime === null)).toBe(true)
    }),
    { numRuns: RUNS },
  )
})
