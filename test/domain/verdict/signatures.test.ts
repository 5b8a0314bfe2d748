import { script as bitcoinScript, crypto, Psbt, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { witnessItems } from '../../../src/domain/psbt/witness.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { witnessBytes } from '../../../src/domain/verdict/node-question.ts'
import { judgeSignature, type SignatureAnswer } from '../../../src/domain/verdict/signatures.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { SCRIPTS, type ScriptKind, secretOf, walletOf } from '../../support/chain/keys.ts'
import { tweakedSecret } from '../../support/market/listing.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import {
  type AskOptions,
  type MadeAsk,
  makeAsk,
  makeBid,
} from '../../support/orders/psbt-orders.ts'
import { publicKey } from '../../support/scripts/fragments.ts'
import { highS } from '../../support/scripts/high-s.ts'
import { finalByLeaf, makeScriptAsk } from '../../support/scripts/script-asks.ts'
import { wildEvents } from '../../support/vectors.ts'

const LOCAL = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const
const ASKED = ['tapscript', 'p2wsh-other'] as const

/** As the actors ask: the node's prevout for the offered input, none for the others. */
function judge({ psbt, sellerIndex }: MadeAsk, prevout: TxOut): SignatureAnswer {
  const { inputCount } = inspectPsbt(psbt).inspection
  const prevouts = Array.from({ length: inputCount }, (_, at) =>
    at === sellerIndex ? prevout : null,
  )
  return judgeSignature({ psbt, inputIndex: sellerIndex, prevouts }, ecc)
}
const judged = (options: AskOptions) => {
  const ask = makeAsk(options)
  return judge(ask, ask.prevout)
}
const KEY = Buffer.from(publicKey('leaf')).toString('hex')
const NONE = new Uint8Array()
const invalid = (reason: string) => ({ status: 'invalid', reason })

const FORMS = [true, false].flatMap((finalised) =>
  [0, 2].flatMap((placeholders) =>
    ([0, 2] as const).map((psbtVersion) => ({ finalised, placeholders, psbtVersion })),
  ),
)

describe('an ask is judged against the prevout of the node', () => {
  test.each(LOCAL)('%s, in every form', (script) => {
    for (const form of FORMS) expect(judged({ script, ...form })).toEqual({ status: 'valid' })
  })

  test.each(LOCAL)('%s: whatever the PSBT says of its utxo is ignored', (script) => {
    const lie = { valueSats: '1', scriptHex: walletOf('p2wpkh', 'liar').scriptHex }
    for (const claimedUtxo of [null, lie]) {
      expect(judged({ script, claimedUtxo })).toEqual({ status: 'valid' })
    }
    const ask = makeAsk({ script })
    const other = { ...ask.prevout, valueSats: '9999' }
    expect(judge(ask, other)).toEqual(invalid('signature_invalid'))
  })

  test.each(LOCAL)("%s: somebody else's output", (script) => {
    for (const finalised of [true, false]) {
      const ask = makeAsk({ script, finalised })
      const theirs = { ...ask.prevout, scriptHex: walletOf(script, 'somebody else').scriptHex }
      expect(judge(ask, theirs).status).not.toBe('valid')
    }
  })

  test.each([
    ['version', (t: Transaction) => Object.assign(t, { version: 1 })],
    ['lock time', (t: Transaction) => Object.assign(t, { locktime: 1 })],
    ['sequence', (t: Transaction) => Object.assign(t.ins[0]!, { sequence: 1 })],
    ['outpoint', (t: Transaction) => Object.assign(t.ins[0]!, { index: 1 })],
    ['payout value', (t: Transaction) => Object.assign(t.outs[0]!, { value: 25_001n })],
    [
      'payout script',
      (t: Transaction) => Object.assign(t.outs[0]!, { script: Uint8Array.of(0x51) }),
    ],
  ])('the %s is what was signed', (_, change) => {
    for (const script of LOCAL) {
      const ask = makeAsk({ script })
      const psbt = changePsbt(ask.psbt, ({ transaction }) => change(transaction))
      expect(judge({ ...ask, psbt }, ask.prevout)).toEqual(invalid('signature_invalid'))
    }
  })

  test('a missing signature is missing, not invalid', () => {
    expect(judged({ unsigned: true })).toEqual({ status: 'none' })
  })

  test('an unknown prevout cannot be judged', () => {
    const { psbt } = makeAsk()
    const question = { psbt, inputIndex: 0, prevouts: [null] }
    expect(judgeSignature(question, ecc)).toEqual({ status: 'unverifiable' })
  })

  test('a legacy output cannot be an ask’s, whatever signed it', () => {
    const ask = makeAsk({ claimedUtxo: null })
    for (const scriptHex of [`76a914${'11'.repeat(20)}88ac`, `a914${'11'.repeat(20)}87`]) {
      expect(judge(ask, { valueSats: '10000', scriptHex })).toEqual(invalid('legacy_input'))
    }
  })

  test('P2SH-P2WPKH without its redeem script: the key alone determines it', () => {
    const ask = makeAsk({ script: 'p2sh-p2wpkh', finalised: false })
    const psbt = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x04)
    })
    expect(judge({ ...ask, psbt }, ask.prevout)).toEqual({ status: 'valid' })
  })

  test('a nested witness without its scriptSig lacks that alone, and is not legacy', () => {
    for (const script of ['p2sh-p2wpkh'] as const) {
      const ask = makeAsk({ script })
      const psbt = changePsbt(ask.psbt, ({ inputs }) => {
        inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x07)
      })
      expect(judge({ ...ask, psbt }, ask.prevout)).toEqual(invalid('script_sig_missing'))
      const theirs = { ...ask.prevout, scriptHex: walletOf(script, 'another').scriptHex }
      expect(judge({ ...ask, psbt }, theirs)).toEqual(invalid('legacy_input'))
    }
  })

  test('a partial multisig: too few signatures are invalid, one without its script unverifiable', () => {
    const ask = makeAsk({ script: 'p2wsh-multisig', finalised: false })
    const one = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0]!.splice(
        inputs[0]!.findIndex(({ type }) => type === 0x02),
        1,
      )
    })
    expect(judge({ ...ask, psbt: one }, ask.prevout)).toEqual(invalid('signature_invalid'))
    const bare = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x05)
    })
    expect(judge({ ...ask, psbt: bare }, ask.prevout)).toEqual({ status: 'unverifiable' })
  })
})

describe('what nodes do not relay as it is', () => {
  const FINAL_SCRIPT_SIG = 0x07
  const FINAL_SCRIPT_WITNESS = 0x08

  /** The ask with other items in its final witness. */
  const rewitnessed = (ask: MadeAsk, alter: (items: Uint8Array[]) => Uint8Array[]): MadeAsk => ({
    ...ask,
    psbt: changePsbt(ask.psbt, ({ inputs }) => {
      const witness = inputs[0]!.find(({ type }) => type === FINAL_SCRIPT_WITNESS)!
      witness.value = witnessBytes(alter(witnessItems(witness.value)!))
    }),
  })
  const broken = (bytes: Uint8Array) => bytes.with(20, bytes[20]! ^ 1)
  const judgeOwn = (ask: MadeAsk) => judge(ask, ask.prevout)
  const unrelayed = invalid('witness_not_standard')

  test('a high S, which anyone can change, is its owner’s all the same', () => {
    const ask = makeAsk({ script: 'p2wpkh' })
    expect(judgeOwn(rewitnessed(ask, ([s, key]) => [highS(s!), key!]))).toEqual(unrelayed)
    const forged = rewitnessed(ask, ([s, key]) => [highS(broken(s!)), key!])
    expect(judgeOwn(forged)).toEqual(invalid('signature_invalid'))
    const several = makeAsk({ script: 'p2wsh-multisig' })
    const high = rewitnessed(several, ([none, a, b, script]) => [none!, highS(a!), b!, script!])
    expect(judgeOwn(high)).toEqual(unrelayed)
    const partial = makeAsk({ script: 'p2wpkh', finalised: false })
    const psbt = changePsbt(partial.psbt, ({ inputs }) => {
      const signature = inputs[0]!.find(({ type }) => type === 0x02)!
      signature.value = highS(signature.value)
    })
    expect(judgeOwn({ ...partial, psbt })).toEqual(unrelayed)
  })

  test('an annex that is signed for; one that was added is invalid', () => {
    const ask = makeAsk({ script: 'p2tr' })
    const annex = Uint8Array.of(0x50, 1, 2)
    expect(judgeOwn(rewitnessed(ask, ([s]) => [s!, annex]))).toEqual(invalid('signature_invalid'))
    const transaction = Transaction.fromBuffer(Psbt.fromBase64(ask.psbt).data.getTransaction())
    const prevout = [Buffer.from(ask.prevout.scriptHex, 'hex')]
    const digest = transaction.hashForWitnessV1(0, prevout, [10_000n], 0x83, undefined, annex)
    const owner = tweakedSecret(ask.seller.secrets[0]!)
    const signature = Uint8Array.of(...ecc.signSchnorr(digest, owner), 0x83)
    expect(judgeOwn(rewitnessed(ask, () => [signature, annex]))).toEqual(unrelayed)
  })

  test('a nested witness without its scriptSig is verified with it', () => {
    const bare = (ask: MadeAsk): MadeAsk => ({
      ...ask,
      psbt: changePsbt(ask.psbt, ({ inputs }) => {
        inputs[0] = inputs[0]!.filter(({ type }) => type !== FINAL_SCRIPT_SIG)
      }),
    })
    const ask = makeAsk({ script: 'p2sh-p2wpkh' })
    expect(judgeOwn(bare(ask))).toEqual(invalid('script_sig_missing'))
    const forged = bare(rewitnessed(ask, ([s, key]) => [broken(s!), key!]))
    expect(judgeOwn(forged)).toEqual(invalid('signature_invalid'))
  })
})

describe('what only looks like a signature', () => {
  const forged = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1, 0x83)
  /** An ask whose final witness is this, of an output that the node says to have this script. */
  const finalAsk = (items: readonly Uint8Array[], scriptHex: string, scriptSig?: Uint8Array) => {
    const ask = makeAsk({ script: 'p2tr' })
    const psbt = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0] = [
        ...(scriptSig ? [field(0x07, Uint8Array.of(scriptSig.length, ...scriptSig))] : []),
        field(0x08, witnessBytes(items)),
      ]
    })
    return judge({ ...ask, psbt }, { ...ask.prevout, scriptHex })
  }
  const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const programOf = (script: Uint8Array) => Uint8Array.of(0, 32, ...crypto.sha256(script))
  const ofScript = (items: readonly Uint8Array[], script: Uint8Array) => ({
    bare: finalAsk([...items, script], hexOf(programOf(script))),
    nested: finalAsk(
      [...items, script],
      `a914${hexOf(crypto.hash160(programOf(script)))}87`,
      programOf(script),
    ),
  })

  test('in the witness of a pay-to-anchor output, which anyone spends', () => {
    const items = [new Uint8Array(65).fill(0x83)]
    expect(finalAsk(items, '51024e73')).toEqual(invalid('signature_invalid'))
    const bid = makeBid({ funding: [{ script: 'p2tr' }] })
    const anchor = { valueSats: '100000', scriptHex: '51024e73' }
    const question = { psbt: bid.psbt, inputIndex: 1, prevouts: [bid.prevout, anchor] }
    expect(judgeSignature(question, ecc)).toEqual(invalid('signature_invalid'))
  })

  test.each([
    ['a script that drops it', [forged], '7551'],
    ['a check that an empty signature fails', [forged, NONE], `21${KEY}ac91697551`],
    ['a branch without a check', [forged, NONE], `6321${KEY}ac67755168`],
    ['none of one key', [forged, NONE], `0021${KEY}51ae697551`],
  ])('P2WSH: %s', (_, items, script) => {
    const { bare, nested } = ofScript(items, Buffer.from(script, 'hex'))
    expect([bare, nested]).toEqual([invalid('signature_invalid'), invalid('signature_invalid')])
  })

  test('P2WSH: a script of the length of a taproot signature', () => {
    const { bare } = ofScript([], Uint8Array.of(0x40, ...new Uint8Array(64).fill(0x83)))
    expect(bare).toEqual(invalid('signature_invalid'))
  })

  test('P2WSH: one that is checked, and what is not followed here, are for the node', () => {
    const checked = ofScript([forged], Buffer.from(`21${KEY}ac`, 'hex'))
    expect([checked.bare.status, checked.nested.status]).toEqual(['ask-node', 'ask-node'])
    // OP_VER, which fails where it is run.
    const unknown = ofScript([forged], Buffer.from('627551', 'hex'))
    expect(unknown.bare.status).toBe('ask-node')
  })

  const paid = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1, 0x01)
  const pushOf = (bytes: Uint8Array) => Uint8Array.of(bytes.length, ...bytes)
  /** A bid's input that spends an output of this redeem script with these items. */
  const paidFrom = (items: readonly Uint8Array[], redeemHex: string) => {
    const redeem = Buffer.from(redeemHex, 'hex')
    const bid = makeBid({ funding: [{ script: 'p2wpkh' }] })
    const psbt = changePsbt(bid.psbt, ({ inputs }) => {
      const scriptSig = [...items, redeem].flatMap((item) => [...pushOf(item)])
      inputs[1] = [field(0x07, Uint8Array.from(scriptSig))]
    })
    const scriptHex = `a914${hexOf(crypto.hash160(redeem))}87`
    const prevouts = [bid.prevout, { valueSats: '100000', scriptHex }]
    return judgeSignature({ psbt, inputIndex: 1, prevouts }, ecc)
  }

  test.each([
    ['a script that drops it', [paid], '7551'],
    ['a check that an empty signature fails', [paid, NONE], `21${KEY}ac91697551`],
    ['a branch without a check', [paid, NONE], `6321${KEY}ac67755168`],
  ])("P2SH of a bid's input: %s", (_, items, redeem) => {
    expect(paidFrom(items, redeem)).toEqual(invalid('signature_invalid'))
  })

  test("P2SH of a bid's input: one that is checked is for the node", () => {
    expect(paidFrom([paid], `21${KEY}ac`).status).toBe('ask-node')
    // OP_VER, which fails where it is run.
    expect(paidFrom([paid], '627551').status).toBe('ask-node')
  })

  test('a script that is longer than is tried here is named so', () => {
    const long = `${'61'.repeat(20_001)}7551`
    const ask = makeScriptAsk({
      output: { kind: 'p2tr', leaves: [long] },
      signers: [{ seed: 'leaf' }],
    })
    const { psbt, prevout } = finalByLeaf(ask, long)
    const question = { psbt, inputIndex: 0, prevouts: [prevout] }
    expect(judgeSignature(question, ecc)).toEqual({ status: 'beyond-bound' })
  })

  test('a leaf that drops it, beside one that checks it', () => {
    const dropped = { kind: 'p2tr', leaves: ['7551'] } as const
    const ask = makeScriptAsk({ output: dropped, signers: [{ seed: 'leaf' }] })
    const final = finalByLeaf(ask, '7551')
    const said = (one: typeof final) =>
      judgeSignature({ psbt: one.psbt, inputIndex: 0, prevouts: [one.prevout] }, ecc)
    expect(said(final)).toEqual(invalid('signature_invalid'))
    const leaf = `20${KEY.slice(2)}ac`
    const checks = makeScriptAsk({
      output: { kind: 'p2tr', leaves: [leaf] },
      signers: [{ seed: 'leaf' }],
    })
    expect(said(finalByLeaf(checks, leaf)).status).toBe('ask-node')
  })
})

describe('P2WPKH of a key that is not compressed', () => {
  const secret = secretOf('uncompressed')
  const key = ecc.pointFromScalar(secret, false)!
  const hash = Buffer.from(crypto.hash160(key)).toString('hex')
  const scriptHex = `0014${hash}`

  function askOf(isFinal: boolean, isBroken = false) {
    const made = makeAsk({ script: 'p2wpkh', finalised: false })
    const psbt = changePsbt(made.psbt, ({ inputs, transaction }) => {
      const code = Buffer.from(`76a914${hash}88ac`, 'hex')
      const digest = transaction.hashForWitnessV0(0, code, 10_000n, 0x83)
      const compact = ecc.sign(digest, secret)
      const made = isBroken ? compact.with(20, compact[20]! ^ 1) : compact
      const signature = bitcoinScript.signature.encode(made, 0x83)
      inputs[0] = isFinal
        ? [field(0x08, witnessBytes([signature, key]))]
        : [field(0x02, signature, key)]
    })
    return judge({ ...made, psbt }, { ...made.prevout, scriptHex })
  }

  test.each([true, false])('is signed, and not relayed (final: %s)', (isFinal) => {
    expect(askOf(isFinal)).toEqual(invalid('witness_not_standard'))
    expect(askOf(isFinal, true)).toEqual(invalid('signature_invalid'))
  })
})

describe('a 64-byte taproot signature', () => {
  test.each(['p2tr', 'tapscript'] as const)('%s: valid except for its byte', (script) => {
    for (const form of FORMS) {
      expect(judged({ script, ...form, omitSighashByte: true })).toEqual(
        invalid('sighash_byte_missing_recoverable'),
      )
    }
  })

  test('that signs everything is valid, but not an ask', () => {
    for (const finalised of [true, false]) {
      const signed = { sighash: 0x00, finalised }
      expect(judged(signed)).toEqual({ status: 'no-ask', isValid: true })
      expect(judged({ ...signed, script: 'tapscript' })).toEqual({
        status: 'no-ask',
        isValid: true,
      })
      // It commits to prevouts that nobody asked the node about.
      const unknown = { status: 'no-ask', isValid: false }
      expect(judged({ ...signed, placeholders: 2 })).toEqual(unknown)
      expect(judged({ ...signed, placeholders: 2, script: 'tapscript' })).toEqual(unknown)
    }
  })

  test('of another owner’s script says nothing about this output', () => {
    const ask = makeAsk({ script: 'tapscript', seed: 'stranger', omitSighashByte: true })
    const theirs = { ...ask.prevout, scriptHex: walletOf('tapscript', 'seller').scriptHex }
    expect(judge(ask, theirs)).not.toEqual(invalid('sighash_byte_missing_recoverable'))
    expect(judge(ask, theirs).status).toBe('invalid')
  })

  test('that fits neither is invalid', () => {
    const ask = makeAsk({ omitSighashByte: true })
    const other = { ...ask.prevout, valueSats: '9999' }
    expect(judge(ask, other)).toEqual(invalid('signature_invalid'))
  })

  test('with its byte added, the same authorisation is valid', () => {
    const bare = makeAsk({ omitSighashByte: true })
    const psbt = changePsbt(bare.psbt, ({ inputs }) => {
      const witness = inputs[0]!.find(({ type }) => type === 0x08)!
      witness.value = Uint8Array.of(1, 65, ...witness.value.slice(2), 0x83)
    })
    expect(judge({ ...bare, psbt }, bare.prevout)).toEqual({ status: 'valid' })
  })
})

describe('what only a node can judge', () => {
  test.each(ASKED)(
    '%s: the ask is reduced to its input and output, with the utxo of the node',
    (script) => {
      for (const form of FORMS) {
        const ask = makeAsk({
          script,
          ...form,
          claimedUtxo: null,
          locktime: 500,
          sequence: 7,
          version: 3,
        })
        const answer = judge(ask, ask.prevout)
        if (answer.status !== 'ask-node') throw new Error(`answered ${answer.status}`)
        const asked = Psbt.fromBase64(answer.psbt)
        const [input] = asked.data.inputs
        expect(answer.inputIndex).toBe(0)
        expect([asked.inputCount, asked.txOutputs.length]).toEqual([1, 1])
        expect([asked.version, asked.locktime, asked.txInputs[0]!.sequence]).toEqual([3, 500, 7])
        expect(asked.txOutputs[0]).toMatchObject({ value: BigInt(ask.payout.valueSats) })
        expect(input!.witnessUtxo!.value).toBe(BigInt(ask.prevout.valueSats))
        expect(Buffer.from(input!.witnessUtxo!.script).toString('hex')).toBe(ask.prevout.scriptHex)
        expect(input!.nonWitnessUtxo).toBeUndefined()
        expect(input!.finalScriptWitness).toBeDefined()
      }
    },
  )

  test('the utxo in the PSBT does not reach the node', () => {
    const lie = { valueSats: '777', scriptHex: walletOf('tapscript', 'liar').scriptHex }
    const ask = makeAsk({ script: 'tapscript', claimedUtxo: lie })
    const answer = judge(ask, ask.prevout)
    if (answer.status !== 'ask-node') throw new Error(`answered ${answer.status}`)
    expect(Psbt.fromBase64(answer.psbt).data.inputs[0]!.witnessUtxo!.value).toBe(10_000n)
  })

  test('a script that its signatures alone do not satisfy is unverifiable', () => {
    const ask = makeAsk({ script: 'p2wsh-other', finalised: false })
    const psbt = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x05)
      inputs[0].push(field(0x05, Uint8Array.of(0x51)))
    })
    expect(judge({ ...ask, psbt }, ask.prevout)).toEqual({ status: 'unverifiable' })
  })
})

describe("a bidder's signature commits to everything", () => {
  const outputsOf = (kind: ScriptKind, finalised: boolean) => {
    const bid = makeBid({
      funding: [{ script: kind }, { script: 'p2tr' }],
      finalised,
      sellerIndex: 1,
    })
    const [first, second] = bid.funding
    return { bid, prevouts: [first!.output, bid.prevout, second!.output] }
  }

  test.each(SCRIPTS)('%s', (kind) => {
    for (const finalised of [true, false]) {
      const { bid, prevouts } = outputsOf(kind, finalised)
      const ask = (inputIndex: number, outputs: (TxOut | null)[] = prevouts) =>
        judgeSignature({ psbt: bid.psbt, inputIndex, prevouts: outputs }, ecc)
      expect(ask(0).status).toBe(LOCAL.some((local) => local === kind) ? 'valid' : 'ask-node')
      expect(ask(1)).toEqual({ status: 'none' })
      expect(ask(2)).toEqual({ status: 'valid' })
      expect(ask(2, [null, ...prevouts.slice(1)])).toEqual({ status: 'unverifiable' })
      const poorer = { ...bid.prevout, valueSats: '1' }
      expect(ask(2, prevouts.with(1, poorer))).toEqual(invalid('signature_invalid'))
    }
  })

  test.each(ASKED)('%s: the node is asked about the whole transaction', (kind) => {
    for (const finalised of [true, false]) {
      const { bid, prevouts } = outputsOf(kind, finalised)
      const answer = judgeSignature({ psbt: bid.psbt, inputIndex: 0, prevouts }, ecc)
      if (answer.status !== 'ask-node') throw new Error(`answered ${answer.status}`)
      const asked = Psbt.fromBase64(answer.psbt)
      expect(answer.inputIndex).toBe(0)
      expect(asked.data.inputs.map(({ witnessUtxo }) => witnessUtxo!.value)).toEqual(
        prevouts.map(({ valueSats }) => BigInt(valueSats)),
      )
      expect(
        asked.data.inputs.map(({ finalScriptWitness }) => finalScriptWitness !== undefined),
      ).toEqual([true, false, false])
      expect(Transaction.fromBuffer(asked.data.globalMap.unsignedTx.toBuffer()).getId()).toBe(
        inspectPsbt(bid.psbt).inspection.unsignedTxid,
      )
    }
  })
})

describe('the real kind 802 order', () => {
  const { psbt, valueSats, scriptHex } = wildEvents().sale
  const prevouts = [{ valueSats, scriptHex }]

  test('has a signature that anyone can repair', () => {
    expect(judgeSignature({ psbt, inputIndex: 0, prevouts }, ecc)).toEqual(
      invalid('sighash_byte_missing_recoverable'),
    )
  })

  test('is valid with its byte', () => {
    const repaired = changePsbt(psbt, ({ inputs }) => {
      const witness = inputs[0]!.find(({ type }) => type === 0x08)!
      witness.value = Uint8Array.of(1, 65, ...witness.value.slice(2), 0x83)
    })
    expect(judgeSignature({ psbt: repaired, inputIndex: 0, prevouts }, ecc)).toEqual({
      status: 'valid',
    })
  })
})
