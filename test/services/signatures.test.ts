import { Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBitcoind } from '../../src/adapters/bitcoind/bitcoind.ts'
import { judgeProof } from '../../src/domain/bip322/judge-proof.ts'
import { toSpend } from '../../src/domain/bip322/virtual-transactions.ts'
import { checkInput } from '../../src/domain/script/script-check.ts'
import { inspectPsbt } from '../../src/domain/verdict/inspect.ts'
import { reducedQuestion } from '../../src/domain/verdict/node-question.ts'
import { judgeSignature, type SignatureAnswer } from '../../src/domain/verdict/signatures.ts'
import type { FullNode } from '../../src/ports/authorities/full-node.ts'
import type { TxOut } from '../../src/schemas/scalars.ts'
import { SCRIPTS, walletOf } from '../support/chain/keys.ts'
import {
  LEGACY_KINDS,
  type LegacyOptions,
  proveLegacyOwnership,
} from '../support/orders/legacy-proof.ts'
import { dice } from '../support/orders/order-book.ts'
import { proveOwnership, simpleText } from '../support/orders/ownership-proof.ts'
import { changePsbt } from '../support/orders/psbt-changes.ts'
import { type MadeAsk, makeAsk, makeBid } from '../support/orders/psbt-orders.ts'
import { type Core, prepareCore } from '../support/services/core.ts'
import { systemClock } from '../support/system-clock.ts'

// Bitcoin Core runs the script of every input that the service judges itself or has judged.

let core: Core
let node: FullNode & { close(): Promise<void> }

beforeAll(async () => {
  core = await prepareCore({ args: [] })
  await core.start()
  node = openBitcoind({
    url: core.url,
    credentials: { cookieFile: core.cookieFile },
    network: 'regtest',
    clock: systemClock,
  })
})
afterAll(async () => {
  await node.close()
  await core.close()
})

/** A signed full proof, changed to be one for this message and script. */
function spending(text: string, message: string, scriptHex: string): string {
  const transaction = Transaction.fromBuffer(Buffer.from(text, 'base64'))
  Object.assign(transaction.ins[0]!, { hash: toSpend(message, scriptHex).getHash() })
  return Buffer.from(transaction.toBuffer()).toString('base64')
}

const FORMS = [true, false].flatMap((finalised) =>
  [0, 2].map((placeholders) => ({ finalised, placeholders })),
)

function judged({ psbt, sellerIndex }: MadeAsk, prevout: TxOut): SignatureAnswer {
  const { inputCount } = inspectPsbt(psbt).inspection
  const prevouts = Array.from({ length: inputCount }, (_, at) =>
    at === sellerIndex ? prevout : null,
  )
  return judgeSignature({ psbt, inputIndex: sellerIndex, prevouts }, ecc)
}

describe('what is left to the node', () => {
  test.each(['tapscript', 'p2wsh-other'] as const)(
    '%s: a proof of ownership is final, one of another message or by another key is not',
    async (script) => {
      const seller = walletOf(script, 'seller')
      const asked = (proof: string) => {
        const answer = judgeProof({ message: 'mine', scriptHex: seller.scriptHex, proof }, ecc)
        if (answer.status !== 'ask-node') throw new Error(`not asked: ${answer.status}`)
        return node.inputIsFinal(answer.psbt, answer.inputIndex)
      }
      const { text, witness } = proveOwnership(seller, 'mine')
      expect(await asked(text)).toBe(true)
      expect(await asked(proveOwnership(seller, 'mine', { format: 'full' }).text)).toBe(true)
      expect(await asked(proveOwnership(seller, 'yours').text)).toBe(false)
      const [, ...spent] = witness
      const [forged] = proveOwnership(walletOf(script, 'thief'), 'mine').witness
      expect(await asked(simpleText([forged ?? new Uint8Array(), ...spent]))).toBe(false)
    },
  )

  test.each(LEGACY_KINDS)(
    '%s: a full proof of ownership is final, one of another message or by other keys is not',
    async (kind) => {
      const asked = (seed: string, message: string, options: LegacyOptions = {}) => {
        const { scriptHex } = proveLegacyOwnership(kind, 'seller', 'mine')
        const { text } = proveLegacyOwnership(kind, seed, message, options)
        const proof = spending(text, 'mine', scriptHex)
        const answer = judgeProof({ message: 'mine', scriptHex, proof }, ecc)
        if (answer.status !== 'ask-node') throw new Error(`not asked: ${answer.status}`)
        return node.inputIsFinal(answer.psbt, answer.inputIndex)
      }
      expect(await asked('seller', 'mine')).toBe(true)
      expect(await asked('seller', 'mine', { version: 2 })).toBe(true)
      expect(await asked('seller', 'yours')).toBe(false)
      expect(await asked('thief', 'mine')).toBe(false)
    },
  )

  test.each(['tapscript', 'p2wsh-other'] as const)(
    '%s: a valid ask is final, a broken one is not',
    async (script) => {
      for (const form of FORMS) {
        const ask = makeAsk({ script, ...form, version: 1, locktime: 9, sequence: 3 })
        const good = judged(ask, ask.prevout)
        const poorer = judged(ask, { ...ask.prevout, valueSats: '9999' })
        if (good.status !== 'ask-node' || poorer.status !== 'ask-node') throw new Error('not asked')
        expect(await node.inputIsFinal(good.psbt, good.inputIndex)).toBe(true)
        expect(await node.inputIsFinal(poorer.psbt, poorer.inputIndex)).toBe(false)
      }
    },
  )

  test.each(['tapscript', 'p2wsh-other'] as const)("%s: a bidder's input", async (script) => {
    for (const finalised of [true, false]) {
      const bid = makeBid({ funding: [{ script }, {}], finalised, sellerIndex: 1 })
      const [first, second] = bid.funding
      const prevouts = [first!.output, bid.prevout, second!.output]
      const answer = judgeSignature({ psbt: bid.psbt, inputIndex: 0, prevouts }, ecc)
      if (answer.status !== 'ask-node') throw new Error('not asked')
      expect(await node.inputIsFinal(answer.psbt, answer.inputIndex)).toBe(true)
    }
  })
})

test('the node agrees with every local verdict, on valid witnesses and on broken ones', async () => {
  const roll = dice(20_260_101)
  const counts = { valid: 0, invalid: 0 }
  for (let round = 0; round < 400; round += 1) {
    const script = roll.of(SCRIPTS.slice(0, 4))
    const sighash = roll.of([0x01, 0x02, 0x03, 0x81, 0x82, 0x83, 0x83])
    const { psbt, prevout } = makeAsk({ script, sighash, seed: `seller ${round % 7}` })
    const transaction = signedTransaction(psbt)
    const input = transaction.ins[0]!
    const witness = [...input.witness]
    if (roll.chance(0.7)) {
      const item = roll.below(witness.length)
      const bytes = witness[item]!
      witness[item] =
        bytes.length === 0
          ? Uint8Array.of(roll.below(256))
          : roll.chance(0.2)
            ? bytes.slice(0, -1)
            : bytes.with(roll.chance(0.4) ? -1 : roll.below(bytes.length), roll.below(256))
      transaction.setWitness(0, witness)
    }
    const local = checkInput({ transaction, inputIndex: 0, prevouts: [prevout] }, ecc)
    const asked = reducedQuestion(transaction, 0, { witness, scriptSig: input.script }, prevout)
    const final = await node.inputIsFinal(asked.psbt, asked.inputIndex)
    if (local === 'unsupported') continue
    counts[local] += 1
    expect(local === 'valid', `${script} ${sighash.toString(16)} ${asked.psbt}`).toBe(final)
  }
  expect(counts.valid).toBeGreaterThan(80)
  expect(counts.invalid).toBeGreaterThan(80)
})

/** The transaction of a finalised ask, its witness in place. */
function signedTransaction(psbt: string): Transaction {
  let signed = new Transaction()
  changePsbt(psbt, ({ transaction, inputs }) => {
    signed = transaction.clone()
    const fields = new Map(inputs[0]!.map(({ type, value }) => [type, value]))
    const raw = Buffer.from(fields.get(0x08)!)
    const items: Uint8Array[] = []
    for (let at = 1; at < raw.length; at += raw[at]! + 1) {
      items.push(Uint8Array.from(raw.subarray(at + 1, at + 1 + raw[at]!)))
    }
    signed.setWitness(0, items)
    signed.setInputScript(0, fields.get(0x07) ?? new Uint8Array())
  })
  return signed
}
