import { describe, expect, test } from 'vitest'
import { hasProofOfWork, provesBlocks, workOf } from '../../../src/domain/dispute/block-work.ts'
import { toBlockHash } from '../../support/ids.ts'

const seconds = (day: string): number => Date.parse(day) / 1_000
/** A header whose hash is low enough for any target. */
const headerOf = (bits: number, day: string) => ({
  hash: toBlockHash('0'.repeat(64)),
  prevHash: toBlockHash('0'.repeat(64)),
  merkleRoot: '',
  time: seconds(day),
  bits,
})

/** Difficulty 1, and those of blocks 391,000 (2016) and 840,000 (2024). */
const EASIEST = 0x1d00ffff
const OF_2016 = 0x180928f0
const OF_2024 = 0x17034219

describe('a header of mainnet took at least the work of its time', () => {
  test.each([
    [EASIEST, '2009-01-09', true],
    [EASIEST, '2016-01-01', false],
    [EASIEST, '2026-11-01', false],
    [OF_2016, '2016-01-01', true],
    [OF_2016, '2018-01-01', false],
    [OF_2024, '2024-04-20', true],
    [OF_2024, '2026-11-01', true],
  ])('%i on %s: %s', (bits, day, holds) => {
    expect(hasProofOfWork(headerOf(bits, day), 'mainnet')).toBe(holds)
  })

  test('as powers of two of hashes', () => {
    expect([EASIEST, OF_2016, OF_2024].map((bits) => workOf({ bits }))).toEqual([32, 68, 78])
  })
})

test('a header proves a block of mainnet alone: those of signet are valid by a signature', () => {
  expect((['mainnet', 'signet', 'regtest'] as const).map(provesBlocks)).toEqual([
    true,
    false,
    false,
  ])
})
