import { describe, expect, test } from 'vitest'
import { readMarker } from '../../../src/pairing/fold/marker.ts'
import { MAGIC, opReturn } from '../../support/pairing/pairing-blocks.ts'

const script = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const read = (bytes: Uint8Array, magic: Uint8Array = MAGIC) => {
  const marker = readMarker(bytes, magic)
  return marker && { opcode: marker.opcode, body: Buffer.from(marker.body).toString('hex') }
}

// 50414952 is PAIR.
describe('a script is a marker', () => {
  test.each([
    ['with a direct push', '6a 08 50414952 01 02 abcd', 2, 'abcd'],
    ['without a body', '6a 06 50414952 01 04', 4, ''],
    ['with an unknown opcode', '6a 06 50414952 01 ff', 255, ''],
    ['with opcode zero', '6a 06 50414952 01 00', 0, ''],
    ['with a PUSHDATA1 where a direct push would do', '6a 4c 07 50414952 01 03 99', 3, '99'],
    ['with a PUSHDATA2 where a direct push would do', '6a 4d 0700 50414952 01 03 99', 3, '99'],
  ])('%s', (_, hex, opcode, body) => {
    expect(read(script(hex))).toEqual({ opcode, body })
  })

  test.each([75, 76, 255, 256, 600, 65_535])('with %i bytes of data', (length) => {
    const data = Buffer.concat([MAGIC, Buffer.from([1, 1]), Buffer.alloc(length - 6, 0xee)])
    expect(read(opReturn(data))).toEqual({ opcode: 1, body: 'ee'.repeat(length - 6) })
  })

  test('with the magic of another deployment, for that one', () => {
    const other = script('6a 08 50414953 01 02 abcd')
    expect(read(other, Buffer.from('PAIS'))).toEqual({ opcode: 2, body: 'abcd' })
    expect(read(other)).toBeNull()
  })
})

describe('a script is not a marker', () => {
  test.each([
    ['that is empty', ''],
    ['of OP_RETURN alone', '6a'],
    ['with an empty push', '6a 00'],
    ['without OP_RETURN', '06 50414952 01 04'],
    ['with another opcode in its place', '6b 06 50414952 01 04'],
    ['whose push is longer than the script', '6a 07 50414952 01 04'],
    ['whose push is shorter than the script', '6a 06 50414952 01 04 00'],
    ['with a second push', '6a 06 50414952 01 04 01 aa'],
    ['with a push before it', '6a 00 06 50414952 01 04'],
    ['with another version', '6a 06 50414952 02 04'],
    ['of version zero', '6a 06 50414952 00 04'],
    ['that ends before the opcode', '6a 05 50414952 01'],
    ['that ends before the version', '6a 04 50414952'],
    ['that ends in the magic', '6a 03 504149'],
    ['with another magic', '6a 06 50414953 01 04'],
    ['with a PUSHDATA1 that is cut', '6a 4c'],
    ['with a PUSHDATA1 of nothing', '6a 4c 00'],
    ['with a PUSHDATA1 that is too long', '6a 4c 07 50414952 01 04'],
    ['with a PUSHDATA2 that is cut', '6a 4d 06'],
    ['with a PUSHDATA2 in big-endian', '6a 4d 0006 50414952 01 04'],
    ['with a PUSHDATA4', '6a 4e 06000000 50414952 01 04'],
    ['with OP_1NEGATE', '6a 4f'],
    ['with OP_1', '6a 51'],
  ])('%s', (_, hex) => {
    expect(read(script(hex))).toBeNull()
  })
})
