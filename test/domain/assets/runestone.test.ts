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

  test.each([
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
