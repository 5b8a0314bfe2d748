import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { readMaterial } from '../../../src/domain/inspection/read-material.ts'
import type { Pair } from '../../../src/domain/psbt/key-value-maps.ts'
import { ORDER_LIMITS } from '../../../src/domain/psbt/psbt-limits.ts'
import { readPsbtMaps, writePsbtMaps } from '../../../src/domain/psbt/psbt-maps.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { type ScriptKind, walletOf } from '../../support/chain/keys.ts'
import { toTxid } from '../../support/ids.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { makeAsk } from '../../support/orders/psbt-orders.ts'

const PREVIOUS = 0
const WITNESS_UTXO = 1
const VALUE = '10000'

interface Reveal {
  script?: ScriptKind
  witnessBytes?: number
  /** In an OP_RETURN before the inscription: no witness, so it stays. */
  dataBytes?: number
  /** The script that the transaction pays, in place of the seller's. */
  paid?: string
  psbtVersion?: 0 | 2
}

/** An ask with the whole transaction that made its output, as wallets without segwit send it. */
function askOfReveal({ script = 'p2tr', witnessBytes = 0, dataBytes = 0, ...more }: Reveal) {
  const { psbtVersion = 0, paid = walletOf(script, 'revealed').scriptHex } = more
  const reveal = new Transaction()
  reveal.version = 2
  reveal.addInput(Buffer.alloc(32, 7), 0)
  if (dataBytes > 0) reveal.addOutput(Buffer.alloc(dataBytes, 0x6a), 0n)
  const vout = reveal.addOutput(Buffer.from(paid, 'hex'), BigInt(VALUE))
  if (witnessBytes > 0) reveal.setWitness(0, [Buffer.alloc(witnessBytes, 3), Buffer.alloc(33, 2)])
  const prevout = { txid: toTxid(reveal.getId()), vout, valueSats: VALUE }
  const { psbt } = makeAsk({ script, seed: 'revealed', prevout, psbtVersion })
  const previous = field(PREVIOUS, reveal.toBuffer())
  const withInput = (change: (input: Pair[]) => Pair[]): string => {
    const { inputs, ...rest } = readPsbtMaps(Buffer.from(psbt, 'base64'), ORDER_LIMITS)
    return Buffer.from(writePsbtMaps({ ...rest, inputs: inputs.map(change) })).toString('base64')
  }
  const whole = withInput((input) => [previous, ...input])
  const alone = withInput((input) => [
    previous,
    ...input.filter(({ type }) => type !== WITNESS_UTXO),
  ])
  return { psbt, whole, alone }
}

const read = (psbt: string) => readMaterial({ request: { psbt }, network: 'regtest' })

describe('a PSBT that its previous transaction makes too large', () => {
  test.each([
    ['its witness is left out', { witnessBytes: 90_000 }, 'whole'],
    ['the largest that is standard', { witnessBytes: 399_800 }, 'whole'],
    ['without another utxo, its witness is left out', { witnessBytes: 90_000 }, 'alone'],
    ['of a P2WPKH output', { script: 'p2wpkh', witnessBytes: 90_000 }, 'alone'],
    ['large without its witness: all of it is left out', { dataBytes: 90_000 }, 'whole'],
    ['and without another utxo: its output is kept', { dataBytes: 90_000 }, 'alone'],
    [
      'the same of P2SH-P2WPKH, in version 2',
      { script: 'p2sh-p2wpkh', dataBytes: 90_000, psbtVersion: 2 },
      'alone',
    ],
  ] as const)('%s', (_, reveal, form) => {
    const { psbt, [form]: sent } = askOfReveal(reveal)
    for (const text of [sent, Buffer.from(sent, 'base64').toString('hex')]) {
      const { refusedAs, inspected, problems, textMends, form: readAs } = read(text)
      expect(refusedAs).toBe('PSBT_TOO_LARGE')
      expect(readAs).toBe(text === sent ? 'BASE64' : 'HEX')
      expect(problems).toMatchObject([{ code: 'psbt_too_large', effect: 'REFUSED' }])
      expect(textMends).toEqual(['psbt_too_large'])
      expect(inspected?.offer).toEqual(inspectPsbt(psbt).offer)
      expect(inspected?.claimedPrevout).toEqual(inspectPsbt(psbt).claimedPrevout)
      expect(inspected?.artifact).toBe(inspectPsbt(inspected?.artifact ?? '').artifact)
    }
  })

  test('with a line end behind it, both are mended', () => {
    const { whole } = askOfReveal({ witnessBytes: 90_000 })
    const { inspected, textMends } = read(`${whole}\n`)
    expect(textMends).toEqual(['text_not_canonical', 'psbt_too_large'])
    expect(inspected).not.toBeNull()
  })
})

test.each([
  [
    'large without its witness, with an amount that no signature commits to',
    askOfReveal({ dataBytes: 90_000, paid: `76a914${'11'.repeat(20)}88ac` }).alone,
  ],
  ['larger than a standard transaction', askOfReveal({ witnessBytes: 600_000 }).whole],
  ['cut short', cutShort(askOfReveal({ witnessBytes: 90_000 }).whole)],
])('a previous transaction that is %s is not mended', (_, psbt) => {
  const { refusedAs, inspected, problems } = read(psbt)
  expect([refusedAs, inspected]).toEqual(['PSBT_TOO_LARGE', null])
  expect(problems.map(({ code }) => code)).toEqual(['psbt_too_large'])
})

function cutShort(psbt: string): string {
  return changePsbt(psbt, ({ inputs: [input] }) => {
    const previous = input?.find(({ type }) => type === PREVIOUS)
    if (previous) previous.value = previous.value.slice(0, -5)
  })
}
