import { createHash } from 'node:crypto'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import type { Pair, PsbtMaps } from '../../../src/domain/psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../../../src/domain/psbt/psbt-limits.ts'
import { readPsbtMaps, writePsbtMaps } from '../../../src/domain/psbt/psbt-maps.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const ask = Buffer.from(makeAsk().psbt, 'base64')

/** A valid ask with changes in its maps. */
function changed(change: (maps: PsbtMaps) => void): string {
  const maps = readPsbtMaps(ask, ORDER_LIMITS)
  change(maps)
  return base64(writePsbtMaps(maps))
}

const pair = (type: number, keyData: Uint8Array, value: Uint8Array): Pair => ({
  type,
  key: Uint8Array.of(type, ...keyData),
  value,
})
const label = (n: number): Uint8Array => createHash('sha256').update(`${n}`).digest()
const UNKNOWN = 0x77

describe('what is too large is refused before it is parsed further', () => {
  test('65,536 bytes are taken, one more is not, in base64 and in hex', () => {
    const padded = (total: number): Uint8Array => {
      const grow = (bytes: number) =>
        Buffer.from(
          changed(({ global }) =>
            global.push(pair(UNKNOWN, new Uint8Array(), new Uint8Array(bytes))),
          ),
          'base64',
        )
      const frame = grow(total - 1_000).length - (total - 1_000)
      return grow(total - frame)
    }
    const full = padded(65_536)
    expect(full.length).toBe(65_536)
    expect(inspectPsbt(base64(full)).inspection.orderClass).toBe('ASK_ANYONECANPAY')
    expect(inspectPsbt(Buffer.from(full).toString('hex')).artifact).toBe(base64(full))
    const over = padded(65_537)
    const refusal = expect.objectContaining({
      code: 'PSBT_TOO_LARGE',
      message: 'the PSBT is larger than 65536 bytes',
    })
    expect(() => inspectPsbt(base64(over))).toThrow(refusal)
    expect(() => inspectPsbt(Buffer.from(over).toString('hex'))).toThrow(refusal)
    expect(() => inspectPsbt(`cHNidP${'A'.repeat(5_000_000)}`)).toThrow(refusal)
  })

  test('a script of 10,000 bytes is taken, one of 10,001 can never be spent and is refused', () => {
    const paying = (bytes: number) =>
      makeAsk({ payout: { valueSats: '5000', scriptHex: '51'.repeat(bytes) } }).psbt
    expect(inspectPsbt(paying(10_000)).offer.payouts[0]?.scriptHex).toHaveLength(20_000)
    expect(() => inspectPsbt(paying(10_001))).toThrow(/longer than 10000 bytes/)
  })

  test('scripts that are too large together are refused', () => {
    const witnessUtxo = (bytes: number) =>
      Buffer.concat([
        Buffer.alloc(8),
        Uint8Array.of(0xfd, bytes & 0xff, bytes >> 8),
        Buffer.alloc(bytes, 0x51),
      ])
    const made = makeAsk({ placeholders: 6 })
    const maps = readPsbtMaps(Buffer.from(made.psbt, 'base64'), ORDER_LIMITS)
    for (const input of maps.inputs.slice(0, 6)) {
      input.splice(0, input.length, pair(0x01, new Uint8Array(), witnessUtxo(9_900)))
    }
    expect(() => inspectPsbt(base64(writePsbtMaps(maps)))).toThrow(/too large together/)
  })

  test('64 inputs and outputs are taken, 65 are not', () => {
    const made = makeAsk({ placeholders: 63 })
    expect(inspectPsbt(made.psbt).inspection.inputCount).toBe(64)
    expect(() => inspectPsbt(makeAsk({ placeholders: 64 }).psbt)).toThrow(
      expect.objectContaining({
        code: 'PSBT_TOO_LARGE',
        message: 'the PSBT has 65 inputs: the limit is 64',
      }),
    )
    expect(() => inspectPsbt(makeAsk({ placeholders: 64, psbtVersion: 2 }).psbt)).toThrow(
      'the PSBT has 65 inputs: the limit is 64',
    )
  })

  test.each([
    [
      'fields',
      'the PSBT has too many fields',
      ({ inputs }: PsbtMaps) => {
        for (let n = 0; n < 600; n += 1) inputs[0]!.push(pair(UNKNOWN, label(n), label(n)))
      },
    ],
    [
      'public keys',
      'the PSBT names too many public keys',
      ({ inputs }: PsbtMaps) => {
        for (let n = 0; n < 65; n += 1) {
          inputs[0]!.push(pair(0x06, ecc.pointFromScalar(label(n), true)!, new Uint8Array(8)))
        }
      },
    ],
    [
      'participants in one field',
      'the PSBT names too many public keys',
      ({ outputs }: PsbtMaps) => {
        const keys = Array.from({ length: 65 }, (_, n) => ecc.pointFromScalar(label(n), true)!)
        outputs[0]!.push(pair(0x08, keys[0]!, Uint8Array.from(Buffer.concat(keys))))
      },
    ],
    [
      'witness items',
      'the witnesses and previous transactions of the PSBT have too many parts',
      ({ inputs }: PsbtMaps) => {
        const witness = inputs[0]!.find(({ type }) => type === 0x08)!
        witness.value = Uint8Array.of(0xfd, 0x01, 0x10, ...new Uint8Array(0x1001))
      },
    ],
    [
      'parts of a previous transaction',
      'the witnesses and previous transactions of the PSBT have too many parts',
      ({ inputs }: PsbtMaps) => {
        const outputs = Uint8Array.of(0xfd, 0x01, 0x10, ...new Uint8Array(0x1001 * 9))
        const head = Uint8Array.of(2, 0, 0, 0, 1, ...new Uint8Array(36 + 1 + 4))
        inputs[0]!.push(
          pair(0x00, new Uint8Array(), Uint8Array.of(...head, ...outputs, 0, 0, 0, 0)),
        )
      },
    ],
  ])('too many %s', (_, message, change) => {
    expect(() => inspectPsbt(changed(change))).toThrow(
      expect.objectContaining({ code: 'PSBT_TOO_LARGE', message }),
    )
  })

  test('the costliest order within the limits blocks the event loop for less than 50 ms', () => {
    const psbt = changed(({ inputs }) => {
      for (let n = 0; n < 64; n += 1) {
        inputs[0]!.push(pair(0x06, ecc.pointFromScalar(label(n), true)!, new Uint8Array(8)))
      }
      for (let n = 0; n < 400; n += 1) inputs[0]!.push(pair(UNKNOWN, label(n), label(n)))
    })
    inspectPsbt(psbt)
    // Processor time of this thread's process: the machine may be busy with other tests.
    const cost = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      inspectPsbt(psbt)
      const { user } = process.cpuUsage(before)
      return user / 1_000
    })
    expect(Math.min(...cost)).toBeLessThan(50)
  })
})

describe('the text', () => {
  const good = makeAsk().psbt

  test.each([
    ['empty', '', 'the text is not a PSBT: it is neither base64 nor hex of one'],
    [
      'a raw transaction',
      '0200000001',
      'the text is not a PSBT: it is neither base64 nor hex of one',
    ],
    ['a line break', `${good}\n`, 'the PSBT is not canonical base64'],
    ['padding left out', good.replace(/=+$/, ''), 'the PSBT is not canonical base64'],
    [
      'base64url',
      good.replaceAll('+', '-').replaceAll('/', '_'),
      'the PSBT is not canonical base64',
    ],
    [
      'something within',
      `${good.slice(0, 40)}!!!!${good.slice(40)}`,
      'the PSBT is not canonical base64',
    ],
    ['odd hex', `${Buffer.from(good, 'base64').toString('hex')}0`, 'the PSBT is not valid hex'],
    [
      'bytes behind the end',
      base64(Buffer.concat([ask, Buffer.of(0)])),
      'bytes follow the end of the PSBT',
    ],
  ])('%s is refused', (_, text, message) => {
    expect(good).toMatch(/=$/)
    expect(() => inspectPsbt(text)).toThrow(
      expect.objectContaining({ code: 'INVALID_PSBT', message }),
    )
  })

  test('hex is the same artifact as base64, in either case', () => {
    const hex = Buffer.from(good, 'base64').toString('hex')
    expect(inspectPsbt(hex)).toEqual(inspectPsbt(good))
    expect(inspectPsbt(hex.toUpperCase())).toEqual(inspectPsbt(good))
  })
})

describe('what both parsers would accept is refused all the same', () => {
  const unsignedTx = ({ global }: PsbtMaps) => global.find(({ type }) => type === 0)!

  test('a length that is not written in its shortest form', () => {
    const [before, after] = [ask.subarray(0, 5), ask.subarray(6)]
    const long = Buffer.concat([before, Buffer.of(0xfd, 0x01, 0x00), after])
    expect(() => inspectPsbt(base64(long))).toThrow('a length is not written in its shortest form')
  })

  test('the same input twice', () => {
    const twice = changed((maps) => {
      const { value } = unsignedTx(maps)
      const input = value.subarray(5, 46)
      unsignedTx(maps).value = Uint8Array.of(
        ...value.subarray(0, 4),
        2,
        ...input,
        ...value.subarray(5),
      )
      maps.inputs.push([])
    })
    expect(() => inspectPsbt(twice)).toThrow('Duplicate input')
  })

  test.each([
    ['2^63', 2n ** 63n],
    ['2^64 - 1', 2n ** 64n - 1n],
    ['more than 21 million bitcoin', 2_100_000_000_000_001n],
  ])('an output of %s', (_, sats) => {
    const rich = changed((maps) => {
      const bytes = Buffer.from(unsignedTx(maps).value)
      bytes.writeBigUInt64LE(sats, 47)
      unsignedTx(maps).value = Uint8Array.from(bytes)
    })
    expect(() => inspectPsbt(rich)).toThrow('an output is worth more than 21 million bitcoin')
  })

  test('a witness utxo of more than the supply', () => {
    const rich = makeAsk({
      claimedUtxo: { valueSats: '2100000000000001', scriptHex: `5120${'00'.repeat(32)}` },
    })
    expect(() => inspectPsbt(rich.psbt)).toThrow('an output is worth more than 21 million bitcoin')
  })
})
