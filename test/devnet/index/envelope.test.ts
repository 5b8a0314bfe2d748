import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { envelopesOf } from '../../../src/devnet/index/envelope.ts'

const KEY = `20${'02'.repeat(32)}ac`
const ORD = '0063036f7264'
const TEXT = '01010178'
const BODY = '000568656c6c6f'

function envelopesIn(...witnesses: readonly string[][]) {
  const transaction = new Transaction()
  witnesses.forEach((witness, index) => {
    transaction.addInput(new Uint8Array(32), index)
    transaction.setWitness(
      index,
      witness.map((item) => Buffer.from(item, 'hex')),
    )
  })
  return envelopesOf(transaction)
}

const inLeaf = (leaf: string) => envelopesIn(['00'.repeat(64), leaf, 'c0'])
const plain = {
  input: 0,
  offset: 0,
  pointer: null,
  unrecognizedEvenField: false,
  malformed: false,
  /** As TEXT and BODY have it. */
  content: { mediaType: 'x', coding: '', body: Buffer.from('hello') },
}

test('an envelope is found by its input and its position in the script', () => {
  const leaf = `${KEY}${ORD}${TEXT}${BODY}68`
  expect(inLeaf(leaf)).toEqual([plain])
  expect(envelopesIn(['00'], ['00'.repeat(64), `${leaf}${ORD}${TEXT}${BODY}68`, 'c0'])).toEqual([
    { ...plain, input: 1 },
    { ...plain, input: 1, offset: 1 },
  ])
  expect(envelopesIn(['00'.repeat(64), leaf, 'c0', '5000'])).toEqual([plain])
})

test.each([
  ['another protocol', `${KEY}0063036f7267${TEXT}${BODY}68`],
  ['no end', `${KEY}${ORD}${TEXT}${BODY}`],
  ['an opcode inside', `${KEY}${ORD}${TEXT}ac${BODY}68`],
  ['a push past the end', `${KEY}${ORD}${TEXT}${BODY}684c`],
  ['no condition', `${KEY}00036f7264${TEXT}68`],
])('%s is not an envelope', (_, leaf) => {
  expect(inLeaf(leaf)).toEqual([])
})

describe('what ord counted as a curse', () => {
  test.each([
    ['a tag as a number', `${ORD}510178${BODY}68`],
    ['a tag twice', `${ORD}${TEXT}${TEXT}${BODY}68`],
    ['a tag without a value', `${ORD}${TEXT}010568`],
    ['a stutter', `00${ORD}${TEXT}${BODY}68`],
    ['a pointer', `${ORD}${TEXT}01020107${BODY}68`],
  ])('%s', (_, envelope) => {
    expect(inLeaf(`${KEY}${envelope}`)).toMatchObject([{ malformed: true }])
  })

  test('an unknown even tag makes it unbound, a single pointer does not', () => {
    expect(inLeaf(`${KEY}${ORD}011601aa${BODY}68`)).toMatchObject([
      { unrecognizedEvenField: true, malformed: true },
    ])
    const pointer = '01020107'
    expect(inLeaf(`${KEY}${ORD}${pointer}${BODY}68`)).toMatchObject([
      { pointer: 7n, unrecognizedEvenField: false },
    ])
    expect(inLeaf(`${KEY}${ORD}${pointer}${pointer}${BODY}68`)).toMatchObject([
      { pointer: 7n, unrecognizedEvenField: true },
    ])
  })
})

test('a pointer is little-endian, of eight bytes, and zeros after them', () => {
  const pointerIn = (hex: string) =>
    inLeaf(`${KEY}${ORD}0102${(hex.length / 2).toString(16).padStart(2, '0')}${hex}${BODY}68`)[0]
      ?.pointer
  expect(pointerIn('0001')).toBe(256n)
  expect(pointerIn('')).toBe(0n)
  expect(pointerIn(`${'ff'.repeat(8)}0000`)).toBe(2n ** 64n - 1n)
  expect(pointerIn(`${'00'.repeat(8)}01`)).toBeNull()
})
