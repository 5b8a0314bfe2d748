import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRunestone, runeLanding } from '../../../src/domain/assets/runestone.ts'

const PAY = `5120${'11'.repeat(32)}`

function varint(value: bigint): number[] {
  const low = Number(value & 0x7fn)
  return value < 0x80n ? [low] : [low | 0x80, ...varint(value >> 7n)]
}

/** OP_RETURN OP_13 and one push of these integers. */
const message = (...integers: (number | bigint)[]): string => {
  const payload = integers.flatMap((value) => varint(BigInt(value)))
  return Buffer.from([0x6a, 0x5d, payload.length, ...payload]).toString('hex')
}

describe('where runes go', () => {
  test('without a message to the first output other than an OP_RETURN', () => {
    expect(runeLanding([PAY, PAY])).toEqual({ kind: 'outputs', indexes: [0] })
    expect(runeLanding(['6a0101', PAY])).toEqual({ kind: 'outputs', indexes: [1] })
    expect(runeLanding(['6a0101'])).toEqual({ kind: 'burned' })
  })

  test('with a pointer, to that output', () => {
    expect(runeLanding([PAY, PAY, message(22, 1)])).toEqual({ kind: 'outputs', indexes: [1] })
    expect(runeLanding([PAY, PAY, message(22, 2)])).toEqual({ kind: 'burned' })
  })

  test('with edicts, as they say, and the rest as without', () => {
    expect(runeLanding([PAY, PAY, message(0, 840_000, 1, 5, 1)])).toEqual({
      kind: 'outputs',
      indexes: [1, 0],
    })
    // An output index equal to the number of outputs means all of them except OP_RETURN.
    expect(runeLanding([PAY, message(0, 840_000, 1, 5, 3), PAY])).toEqual({
      kind: 'outputs',
      indexes: [0, 2],
    })
  })

  const ETCHING = 1
  const TERMS = 2
  const TURBO = 4
  const MINT = [20, 840_000, 20, 1]
  const MAX = (1n << 128n) - 1n
  test.each([
    ['a mint', message(...MINT)],
    ['a mint beside an etching flag', message(2, ETCHING, ...MINT)],
    ['an etching with a premine', message(2, ETCHING, 4, 7, 6, 1_000)],
    [
      'an etching with all its terms',
      message(2, ETCHING | TERMS | TURBO, 8, 9, 10, 5, 12, 1, 14, 2, 16, 3, 18, 4),
    ],
    ['an etching of all that can be', message(2, ETCHING | TERMS, 6, MAX - 6n, 8, 2, 10, 3)],
    ['the fields in any order', message(6, 1, ...MINT, 4, 7, 2, ETCHING)],
  ])('%s moves no incoming rune: they go where they go without it', (_name, script) => {
    expect(runeLanding([PAY, script, PAY])).toEqual({ kind: 'outputs', indexes: [0] })
    expect(runeLanding([script, PAY, PAY])).toEqual({ kind: 'outputs', indexes: [1] })
  })

  test('a mint with a pointer or edicts: as these say', () => {
    const pointed = message(...MINT, 22, 2)
    expect(runeLanding([PAY, pointed, PAY])).toEqual({ kind: 'outputs', indexes: [2] })
    const edict = message(...MINT, 22, 2, 0, 840_000, 1, 5, 0)
    expect(runeLanding([PAY, edict, PAY])).toEqual({ kind: 'outputs', indexes: [0, 2] })
    expect(runeLanding([PAY, message(...MINT, 22, 1), PAY])).toEqual({ kind: 'burned' })
  })

  test.each([
    ['a mint of half an id', message(20, 840_000)],
    ['a mint of no rune', message(20, 0, 20, 1)],
    ['a mint above its bounds', message(20, 1n << 64n, 20, 1)],
    ['a second mint', message(...MINT, ...MINT)],
    ['a flag that ord does not know', message(2, ETCHING | 8)],
    ['terms without an etching', message(2, TERMS)],
    ['a field of an etching that there is none of', message(4, 7)],
    ['a field of terms that there are none of', message(2, ETCHING, 8, 7)],
    ['a second premine', message(2, ETCHING, 6, 1, 6, 1)],
    ['a height above 64 bits', message(2, ETCHING | TERMS, 12, 1n << 64n)],
    ['a supply above 128 bits', message(2, ETCHING | TERMS, 6, MAX - 5n, 8, 2, 10, 3)],
    ['a mint before a pointer to no output', message(...MINT, 22, 3)],
    ['a pointer to no output', message(22, 3)],
    ['two pointers', message(22, 0, 22, 0)],
    ['an unknown even tag', message(126, 0)],
    ['a tag without its value', message(22)],
    ['edicts that do not end', message(0, 840_000, 1, 5)],
    ['an edict to no output', message(0, 840_000, 1, 5, 4)],
    ['an edict of no rune', message(0, 0, 1, 5, 0)],
    ['an opcode among the pushes', '6a5d51'],
    ['a push that is cut short', '6a5d0516'],
    ['an integer that is cut short', '6a5d0180'],
    ['an integer above 128 bits', `6a5d13${'ff'.repeat(18)}7f`],
  ])('%s is a cenotaph: all runes burn', (_name, script) => {
    expect(readRunestone([PAY, script, PAY])).toEqual({ kind: 'cenotaph' })
    expect(runeLanding([PAY, script, PAY])).toEqual({ kind: 'burned' })
  })

  test('an unknown odd tag changes nothing, and a push of one byte is data', () => {
    expect(readRunestone([message(127, 9)])).toMatchObject({ kind: 'transfer', pointer: null })
    expect(readRunestone([PAY, '6a5d01160101'])).toMatchObject({ pointer: 1 })
  })

  test('any script is read without a crash', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const script = `6a5d${Buffer.from(bytes).toString('hex')}`
        expect(['transfer', 'cenotaph']).toContain(readRunestone([PAY, script])?.kind)
      }),
    )
  })
})
