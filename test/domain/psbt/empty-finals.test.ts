import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { ORDER_LIMITS } from '../../../src/domain/psbt/psbt-limits.ts'
import { readPsbt } from '../../../src/domain/psbt/read-psbt.ts'
import { finaliseSigned } from '../../../src/domain/purchase/final-transaction.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'
import { fragments } from '../../support/scripts/fragments.ts'
import { makeScriptAsk } from '../../support/scripts/script-asks.ts'

// BIP-174, Input Finalizer: an empty scriptSig or witness is left out; some finalisers write it.

const NO_SCRIPT = field(0x07, new Uint8Array())
const NO_WITNESS = field(0x08, Uint8Array.of(0))
const EMPTY_FIELDS = [[NO_SCRIPT], [NO_WITNESS], [NO_SCRIPT, NO_WITNESS]]
const withFields = (psbt: string, fields: ReturnType<typeof field>[]) =>
  changePsbt(psbt, ({ inputs }) => {
    const types = new Set(inputs[0]?.map(({ type }) => type))
    inputs[0]?.push(...fields.filter(({ type }) => !types.has(type)))
  })

describe('an empty final field is absent', () => {
  test('beside partial signatures: the input is not final', () => {
    const ask = makeAsk({ script: 'p2wpkh', finalised: false })
    for (const fields of EMPTY_FIELDS) {
      const psbt = withFields(ask.psbt, fields)
      expect(judgeSignature({ psbt, inputIndex: 0, prevouts: [ask.prevout] }, ecc)).toEqual({
        status: 'valid',
      })
    }
  })

  test('beside a final witness', () => {
    const ask = makeAsk({ script: 'p2wpkh' })
    const psbt = withFields(ask.psbt, [NO_SCRIPT])
    expect(judgeSignature({ psbt, inputIndex: 0, prevouts: [ask.prevout] }, ecc)).toEqual({
      status: 'valid',
    })
  })

  test('alone: the input is unsigned', () => {
    for (const fields of EMPTY_FIELDS) {
      const psbt = withFields(makeAsk({ unsigned: true }).psbt, fields)
      expect(inspectPsbt(psbt).inspection.reasons).toEqual(['unsigned'])
    }
  })

  test('beside a final scriptSig, as Electrum writes it: the transaction is the same', () => {
    const script = fragments('witness-v0').multi(1, ['a', 'b'])
    const output = { kind: 'p2sh', script } as const
    const { psbt } = makeScriptAsk({ output, signers: [{ seed: 'a' }] })
    const { hex } = finaliseSigned(psbt, ecc)
    const scriptSig = Buffer.from(hex, 'hex').subarray(42, 42 + (Buffer.from(hex, 'hex')[41] ?? 0))
    const final = changePsbt(psbt, ({ inputs }) => {
      inputs[0] = [inputs[0]![0]!, field(0x07, scriptSig)]
    })
    expect(finaliseSigned(final).hex).toBe(hex)
    expect(finaliseSigned(withFields(final, [NO_WITNESS])).hex).toBe(hex)
  })

  test('the bytes are kept as they came', () => {
    const psbt = withFields(makeAsk({ script: 'p2wpkh' }).psbt, [NO_SCRIPT])
    const read = readPsbt(Uint8Array.from(Buffer.from(psbt, 'base64')), ORDER_LIMITS)
    expect(Buffer.from(read.bytes).toString('base64')).toBe(psbt)
    expect(inspectPsbt(psbt).artifact).toBe(psbt)
  })

  test('a witness that is malformed is refused: no bytes at all, or bytes left over', () => {
    const base = makeAsk({ script: 'p2wpkh', finalised: false }).psbt
    for (const value of [new Uint8Array(), Uint8Array.of(0, 0), Uint8Array.of(1)]) {
      expect(() => inspectPsbt(withFields(base, [field(0x08, value)]))).toThrow()
    }
  })
})

test('a partial signature that is not DER with a defined sighash byte is refused', () => {
  const base = makeAsk({ script: 'p2wpkh', finalised: false }).psbt
  const changed = (change: (signature: Uint8Array) => Uint8Array) =>
    changePsbt(base, ({ inputs }) => {
      const partial = inputs[0]!.find(({ type }) => type === 0x02)!
      partial.value = change(partial.value)
    })
  const changes: ((signature: Uint8Array) => Uint8Array)[] = [
    () => new Uint8Array(),
    (signature) => signature.with(-1, 0x84),
    (signature) => signature.slice(0, -1),
    (signature) => signature.with(0, 0x31),
  ]
  for (const change of changes) {
    expect(() => inspectPsbt(changed(change))).toThrow('a partial signature is not DER')
  }
})

test('a compact size beyond what nodes read is refused, also where it is a type', () => {
  const psbt = changePsbt(makeAsk().psbt, ({ global }) => {
    global.push({ type: 0, key: Uint8Array.of(0xfe, 1, 0, 0, 2), value: new Uint8Array() })
  })
  expect(() => inspectPsbt(psbt)).toThrow('a size is larger than nodes read')
})
