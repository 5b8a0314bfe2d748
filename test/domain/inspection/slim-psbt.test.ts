import { Transaction } from 'bitcoinjs-lib'
import { describe, expect, test } from 'vitest'
import { readMaterial } from '../../../src/domain/inspection/read-material.ts'
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
  /** Of an OP_RETURN beside the inscription: no witness, so it stays. */
  dataBytes?: number
}

/** An ask with the whole transaction that made its output, as wallets without segwit send it. */
function askOfReveal({ script = 'p2tr', witnessBytes = 0, dataBytes = 0 }: Reveal) {
  const wallet = walletOf(script, 'revealed')
  const reveal = new Transaction()
  reveal.version = 2
  reveal.addInput(Buffer.alloc(32, 7), 0)
  reveal.addOutput(Buffer.from(wallet.scriptHex, 'hex'), BigInt(VALUE))
  if (dataBytes > 0) reveal.addOutput(Buffer.alloc(dataBytes, 0x6a), 0n)
  if (witnessBytes > 0) reveal.setWitness(0, [Buffer.alloc(witnessBytes, 3), Buffer.alloc(33, 2)])
  const prevout = { txid: toTxid(reveal.getId()), vout: 0, valueSats: VALUE }
  const { psbt } = makeAsk({ script, seed: 'revealed', prevout })
  const previous = field(PREVIOUS, reveal.toBuffer())
  const whole = changePsbt(psbt, ({ inputs }) => inputs[0]?.unshift(previous))
  const alone = changePsbt(whole, ({ inputs: [input] }) => {
    input?.splice(
      input.findIndex(({ type }) => type === WITNESS_UTXO),
      1,
    )
  })
  return { psbt, whole, alone }
}

const read = (psbt: string) => readMaterial({ psbt }, 'regtest')

describe('a PSBT that its previous transaction makes too large', () => {
  test.each([
    ['its witness is left out', { witnessBytes: 90_000 }, 'whole'],
    ['the largest that is standard', { witnessBytes: 399_800 }, 'whole'],
    ['without another utxo, its witness is left out', { witnessBytes: 90_000 }, 'alone'],
    ['of a P2WPKH output', { script: 'p2wpkh', witnessBytes: 90_000 }, 'alone'],
    ['large without its witness: all of it is left out', { dataBytes: 90_000 }, 'whole'],
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
  ['large without its witness, and no other utxo', askOfReveal({ dataBytes: 90_000 }).alone],
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
