import { Block, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBlock } from '../../../src/domain/chain/raw-block.ts'

const bytes = (most: number) => fc.uint8Array({ maxLength: most })
const exactly = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

const arbitraryTransaction = fc
  .record({
    inputs: fc.array(
      fc.record({
        hash: exactly(32),
        index: fc.nat(2 ** 32 - 1),
        sequence: fc.nat(2 ** 32 - 1),
        scriptSig: bytes(300),
        witness: fc.array(bytes(300), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    outputs: fc.array(fc.record({ script: bytes(300), value: fc.bigInt(0n, 2n ** 51n) }), {
      maxLength: 4,
    }),
    version: fc.nat(2 ** 31 - 1),
    locktime: fc.nat(2 ** 32 - 1),
  })
  .map(({ inputs, outputs, version, locktime }) => {
    const transaction = new Transaction()
    transaction.version = version
    transaction.locktime = locktime
    for (const { hash, index, sequence, scriptSig, witness } of inputs) {
      const at = transaction.addInput(hash, index, sequence, scriptSig)
      transaction.setWitness(at, witness)
    }
    for (const { script, value } of outputs) transaction.addOutput(script, value)
    return transaction
  })

const arbitraryBlock = fc
  .record({
    prevHash: exactly(32),
    merkleRoot: exactly(32),
    time: fc.nat(2 ** 32 - 1),
    transactions: fc.array(arbitraryTransaction, { minLength: 1, maxLength: 6 }),
  })
  .map(({ prevHash, merkleRoot, time, transactions }) => {
    const block = new Block()
    Object.assign(block, { version: 1, prevHash, merkleRoot, timestamp: time, bits: 1, nonce: 7 })
    block.transactions = transactions
    return block
  })

const displayed = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex')

test('a block reads as bitcoinjs-lib reads it, whatever is in it', () => {
  fc.assert(
    fc.property(arbitraryBlock, (block) => {
      const read = readBlock(block.toBuffer())
      expect(read.hash).toBe(block.getId())
      expect(read.prevHash).toBe(displayed(block.prevHash ?? new Uint8Array()))
      expect(read.time).toBe(block.timestamp)
      const whole = block.transactions ?? []
      expect(read.transactions.map(({ index }) => index)).toEqual([...whole.keys()])
      for (const [at, transaction] of whole.entries()) {
        const found = read.transactions[at]
        if (!found) throw new Error('a transaction is missing')
        expect(found.txid).toBe(transaction.getId())
        expect(found.wtxid).toBe(displayed(transaction.getHash(true)))
        expect([found.inputs, found.outputs]).toEqual([
          transaction.ins.length,
          transaction.outs.length,
        ])
        for (const [input, { hash, index }] of transaction.ins.entries()) {
          expect(found.spent(input)).toBe(`${displayed(hash)}:${index}`)
          const key = Buffer.from(found.spentKey(input), 'latin1')
          expect(key.subarray(0, 32).equals(hash)).toBe(true)
          expect(key.readUInt32LE(32)).toBe(index)
        }
        for (const [output, { value, script }] of transaction.outs.entries()) {
          expect(found.valueSats(output)).toBe(value)
          expect(Buffer.from(found.script(output)).equals(script)).toBe(true)
        }
      }
    }),
    { numRuns: 200 },
  )
})

describe('bytes that are not exactly one block', () => {
  const [block] = fc.sample(arbitraryBlock, { numRuns: 1, seed: 1 })
  const whole = block?.toBuffer() ?? new Uint8Array()

  test('cut short anywhere, or with an extra byte, are refused', () => {
    for (let length = 0; length < whole.length; length++)
      expect(() => readBlock(whole.subarray(0, length))).toThrow(RangeError)
    expect(() => readBlock(Buffer.concat([whole, Buffer.of(0)]))).toThrow(RangeError)
  })

  test('with counts beyond their length are refused before anything is allocated', () => {
    const header = whole.subarray(0, 80)
    for (const count of ['fdffff', 'feffffffff', 'ffffffffffffffffff'])
      expect(() => readBlock(Buffer.concat([header, Buffer.from(count, 'hex')]))).toThrow(
        RangeError,
      )
  })

  test('no inputs or outputs but the actual ones', () => {
    const transaction = readBlock(whole).transactions[0]
    expect(() => transaction?.spent(transaction.inputs)).toThrow(RangeError)
    expect(() => transaction?.script(-1)).toThrow(RangeError)
  })
})
