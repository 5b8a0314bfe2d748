import { Block, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockTransactions, readTransaction } from '../../../src/adapters/bitcoind/block-body.ts'
import { systemClock } from '../../support/system-clock.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })

const transactions = fc
  .record({
    version: fc.integer({ min: 0, max: 3 }),
    locktime: fc.nat(),
    inputs: fc.array(
      fc.record({
        hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
        index: fc.nat(),
        sequence: fc.nat(),
        script: bytes(300),
        witness: fc.array(bytes(300), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 300, size: 'small' },
    ),
    outputs: fc.array(fc.record({ script: bytes(300), value: fc.bigInt({ min: 0n, max: 21n }) }), {
      minLength: 1,
    }),
  })
  .map(({ version, locktime, inputs, outputs }) => {
    const transaction = new Transaction()
    transaction.version = version
    transaction.locktime = locktime
    for (const { hash, index, sequence, script, witness } of inputs)
      transaction.setWitness(transaction.addInput(hash, index, sequence, script), witness)
    for (const { script, value } of outputs) transaction.addOutput(script, value)
    return transaction
  })

const expected = (transaction: Transaction) => ({
  txid: transaction.getId(),
  hex: transaction.toHex(),
})

const RUNS = { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) }

describe('block bodies', () => {
  test('slices as bitcoinjs decodes, without witnesses in the txid', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(transactions, { minLength: 1, maxLength: 5 }), async (list) => {
        const block = new Block()
        block.prevHash = new Uint8Array(32)
        block.merkleRoot = new Uint8Array(32)
        block.transactions = list
        const sliced = await blockTransactions(Buffer.from(block.toBuffer()), systemClock)
        expect(sliced).toEqual(list.map(expected))
        expect(list.map((tx) => readTransaction(Buffer.from(tx.toBuffer())))).toEqual(sliced)
      }),
      RUNS,
    )
  })

  test('cut or lengthened bytes are refused, never read past their end', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), (transaction, cut) => {
        const whole = Buffer.from(transaction.toBuffer())
        const part = whole.subarray(0, cut % whole.length)
        expect(() => readTransaction(part)).toThrow(RangeError)
        expect(() => readTransaction(Buffer.concat([whole, Buffer.of(0)]))).toThrow(RangeError)
      }),
      RUNS,
    )
  })

  test('any bytes: a transaction or a RangeError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        try {
          expect(readTransaction(Buffer.from(noise)).hex).toBe(Buffer.from(noise).toString('hex'))
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
      RUNS,
    )
  })

  test('yields to other work every 8 ms, however many transactions there are', async () => {
    const transaction = new Transaction()
    transaction.addInput(new Uint8Array(32).fill(7), 0)
    transaction.addOutput(new Uint8Array(34), 1n)
    const block = new Block()
    block.prevHash = new Uint8Array(32)
    block.merkleRoot = new Uint8Array(32)
    block.transactions = Array.from({ length: 100 }, () => transaction)
    let ms = 0
    const clock = { ...systemClock, monotonic: () => ms++ }
    let turns = 0
    const count = () => {
      turns++
      beat = setImmediate(count)
    }
    let beat = setImmediate(count)
    expect(await blockTransactions(Buffer.from(block.toBuffer()), clock)).toHaveLength(100)
    clearImmediate(beat)
    expect(turns).toBeGreaterThanOrEqual(Math.floor(100 / 9))
  })
})
