import { describe, expect, test } from 'vitest'
import { isKnownOpcode, readEffect } from '../../../src/pairing/fold/effect.ts'

const HASH = 'ab'.repeat(32)
const effect = (opcode: number, hex: string) =>
  readEffect({ opcode, body: Buffer.from(hex.replaceAll(' ', ''), 'hex') })
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex')
const moves = (count: number): string => Buffer.from([...Array(count * 2).keys()]).toString('hex')

test('four opcodes are known', () => {
  const known = Array.from({ length: 256 }, (_, opcode) => opcode).filter(isKnownOpcode)
  expect(known).toEqual([1, 2, 3, 4])
})

describe('CREATE', () => {
  const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'
  test.each([
    ['without a label', `05 ${HASH} 00`, 5, ''],
    ['with a label', `ff ${HASH} 03 ${ascii('a.B')}`, 255, 'a.B'],
    ['with a label of 32', `00 ${HASH} 20 ${ascii(all)}`, 0, all],
    ['with every sign', `00 ${HASH} 06 ${ascii('z9._-A')}`, 0, 'z9._-A'],
  ])('%s', (_, body, vout, label) => {
    expect(effect(1, body)).toEqual({
      kind: 'create',
      vout,
      contentHash: Buffer.from(HASH, 'hex'),
      label,
    })
  })

  test.each([
    ['of nothing', ''],
    ['without a label length', `00 ${HASH}`],
    ['with a hash that is too short', `00 ${HASH.slice(2)}`],
    ['with a label that is too short', `00 ${HASH} 02 ${ascii('a')}`],
    ['with trailing bytes', `00 ${HASH} 01 ${ascii('ab')}`],
    ['with trailing bytes and no label', `00 ${HASH} 00 00`],
    ['with a label of 33', `00 ${HASH} 21 ${ascii('a'.repeat(33))}`],
    ['with a label of 255', `00 ${HASH} ff ${ascii('a'.repeat(255))}`],
    ['with a space', `00 ${HASH} 03 ${ascii('a b')}`],
    ['with a line end', `00 ${HASH} 02 ${ascii('a\n')}`],
    ['with a colon', `00 ${HASH} 01 ${ascii(':')}`],
    ['with a zero byte', `00 ${HASH} 01 00`],
    ['with a byte beyond ASCII', `00 ${HASH} 01 e9`],
  ])('malformed %s', (_, body) => {
    expect(effect(1, body)).toBeNull()
  })
})

describe('MOVE', () => {
  test.each([1, 2, 16])('of %i', (count) => {
    expect(effect(2, `${count.toString(16).padStart(2, '0')}${moves(count)}`)).toEqual({
      kind: 'move',
      moves: Array.from({ length: count }, (_, index) => ({
        input: index * 2,
        vout: index * 2 + 1,
      })),
    })
  })

  test.each([
    ['of nothing', ''],
    ['of count zero', '00'],
    ['of count zero and a move', '00 0000'],
    ['of 17', `11 ${moves(17)}`],
    ['of 255 and no more', 'ff'],
    ['that is a byte short', '02 000102'],
    ['that is a byte long', '01 0001 02'],
    ['that is a move short', '02 0001'],
  ])('malformed %s', (_, body) => {
    expect(effect(2, body)).toBeNull()
  })
})

describe('PAIR', () => {
  test('is inputs A and B, outputs A and B', () => {
    expect(effect(3, '01 02 03 ff')).toEqual({
      kind: 'pair',
      moves: [
        { input: 1, vout: 3 },
        { input: 2, vout: 255 },
      ],
    })
  })

  test.each(['', '00', '000102', '0001020304'])('malformed of %j', (body) => {
    expect(effect(3, body)).toBeNull()
  })
})

describe('UNPAIR', () => {
  test('is input and output', () => {
    expect(effect(4, '07 08')).toEqual({ kind: 'unpair', moves: [{ input: 7, vout: 8 }] })
  })

  test.each(['', '00', '000102'])('malformed of %j', (body) => {
    expect(effect(4, body)).toBeNull()
  })
})
