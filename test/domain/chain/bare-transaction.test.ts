import { Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bareTransaction,
  openTransaction,
  withoutWitnesses,
} from '../../../src/domain/chain/bare-transaction.ts'
import { toTxid } from '../../support/ids.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const input = fc.record({
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  index: fc.nat(0xffff_ffff),
  script: fc.oneof(bytes(4), bytes(300)),
  sequence: fc.nat(0xffff_ffff),
  witness: fc.array(bytes(80), { maxLength: 3 }),
})
const output = fc.record({
  value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }),
  script: fc.oneof(bytes(40), bytes(300)),
})
const transaction = fc
  .record({
    version: fc.nat(0xffff_ffff),
    locktime: fc.nat(0xffff_ffff),
    ins: fc.array(input, { minLength: 1, maxLength: 300 }),
    outs: fc.array(output, { minLength: 1, maxLength: 300 }),
  })
  .map((parts) => Object.assign(new Transaction(), parts))

const unsigned = (wire: Transaction): Transaction => {
  const bare = wire.clone()
  for (const one of bare.ins) Object.assign(one, { script: new Uint8Array(), witness: [] })
  return bare
}

test('a bare transaction is the transaction without scriptSigs and witnesses (another parser agrees)', () => {
  fc.assert(
    fc.property(transaction, (wire) => {
      const bare = bareTransaction({ txid: toTxid(wire.getId()), hex: wire.toHex() })
      expect(Buffer.from(bare.bytes).toString('hex')).toBe(unsigned(wire).toHex())
      const view = openTransaction(bare)
      expect(view.unsignedTxid).toBe(unsigned(wire).getId())
      expect([view.inputs, view.outputs]).toEqual([wire.ins.length, wire.outs.length])
      wire.ins.forEach(({ hash, index }, i) => {
        expect(view.spent(i)).toBe(`${Buffer.from(hash).reverse().toString('hex')}:${index}`)
      })
      wire.outs.forEach(({ value, script }, i) => {
        expect(view.output(i)).toEqual({
          valueSats: value.toString(),
          scriptHex: Buffer.from(script).toString('hex'),
        })
        expect(Buffer.from(view.script(i))).toEqual(Buffer.from(script))
      })
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
  )
})

test('without its witnesses a transaction keeps its txid (another parser agrees)', () => {
  fc.assert(
    fc.property(transaction, (wire) => {
      const stripped = wire.clone()
      stripped.stripWitnesses()
      expect(Buffer.from(withoutWitnesses(wire.toHex())).toString('hex')).toBe(stripped.toHex())
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
  )
})

test('bytes that end too early, or announce more than follows, are refused', () => {
  fc.assert(
    fc.property(transaction, fc.nat(), (wire, cut) => {
      const hex = wire.toHex()
      const length = 2 * (cut % (hex.length / 2))
      expect(() => bareTransaction({ txid: toTxid(''), hex: hex.slice(0, length) })).toThrow(
        RangeError,
      )
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) },
  )
  const promisesMuch = `02000000feffffffff${'00'.repeat(60)}`
  expect(() => bareTransaction({ txid: toTxid(''), hex: promisesMuch })).toThrow(RangeError)
})

test('a coinbase is recognised by its prevout', () => {
  const wire = new Transaction()
  wire.addInput(new Uint8Array(32), 0xffffffff)
  wire.addOutput(new Uint8Array(1), 1n)
  const view = openTransaction(bareTransaction({ txid: toTxid(wire.getId()), hex: wire.toHex() }))
  expect(view.coinbase).toBe(true)
})
