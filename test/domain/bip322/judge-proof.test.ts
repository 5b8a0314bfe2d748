import * as bitcoinerlab from '@bitcoinerlab/secp256k1'
import { script as bitcoinScript, Psbt, payments, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import * as tiny from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { judgeProof } from '../../../src/domain/bip322/judge-proof.ts'
import { toSign, toSpend } from '../../../src/domain/bip322/virtual-transactions.ts'
import { almost } from '../../support/chain/byte-edits.ts'
import { type ScriptKind, walletOf } from '../../support/chain/keys.ts'
import {
  LEGACY_KINDS,
  type LegacyKind,
  type LegacyOptions,
  proveLegacyOwnership,
} from '../../support/orders/legacy-proof.ts'
import {
  type ProofOptions,
  proveOwnership,
  simpleText,
} from '../../support/orders/ownership-proof.ts'

const OP_CODESEPARATOR = 0xab
const OP_CHECKSIG = 0xac
const FUZZ_RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)
const MESSAGE = 'service: market\norder: a thing of beauty'
const LOCAL = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const
const NODES = ['tapscript', 'p2wsh-other'] as const
const ECDSA = ['p2wpkh', 'p2sh-p2wpkh', 'p2wsh-multisig'] as const

const owner = (kind: ScriptKind) => walletOf(kind, 'owner')
const judge = (kind: ScriptKind, proof: string, message = MESSAGE) =>
  judgeProof({ message, scriptHex: owner(kind).scriptHex, proof }, tiny)
const made = (kind: ScriptKind, options: ProofOptions = {}) =>
  proveOwnership(owner(kind), MESSAGE, options)
const statusOf = (kind: ScriptKind, proof: string, message?: string) =>
  judge(kind, proof, message).status

describe('what another library signed', () => {
  test.each(LOCAL)('%s: simple and full, with the prefix of version 2.0.0 and without', (kind) => {
    const simple = made(kind).text
    const full = made(kind, { format: 'full' }).text
    for (const proof of [simple, `smp${simple}`, full, `ful${full}`]) {
      expect(judge(kind, proof)).toEqual({ status: 'valid' })
      const question = { message: MESSAGE, scriptHex: owner(kind).scriptHex, proof }
      expect(judgeProof(question, bitcoinerlab)).toEqual({ status: 'valid' })
    }
  })

  test.each(LOCAL)('%s: a full proof of version 2, with any locktime and sequence', (kind) => {
    const locked = { format: 'full', version: 2, locktime: 2016, sequence: 2016 } as const
    expect(statusOf(kind, made(kind, locked).text)).toBe('valid')
  })

  test('taproot may say ALL where it means DEFAULT', () => {
    expect(statusOf('p2tr', made('p2tr', { sighash: 0x01 }).text)).toBe('valid')
  })

  test.each(LOCAL)('%s: it proves nothing about another message', (kind) => {
    for (const format of ['simple', 'full'] as const) {
      const { text } = made(kind, { format })
      expect(statusOf(kind, text, `${MESSAGE} `)).toBe('invalid')
    }
  })
})

describe('fault 77: an attacker signs with a key of their own', () => {
  test.each(LOCAL)('%s: the victim’s address is not theirs', (kind) => {
    const attacker = walletOf(kind, 'attacker')
    for (const format of ['simple', 'full'] as const) {
      const { text } = proveOwnership(attacker, MESSAGE, { format })
      expect(statusOf(kind, text)).toBe('invalid')
    }
  })

  test('a multisig is not owned by fewer keys than it requires, nor by one of them twice', () => {
    const { witness } = made('p2wsh-multisig')
    const [dummy, first, second, script] = witness as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    for (const forged of [
      [dummy, first, script],
      [dummy, first, first, script],
      [dummy, second, first, script],
      [dummy, first, new Uint8Array(), script],
      [first, second, script],
    ]) {
      expect(statusOf('p2wsh-multisig', simpleText(forged))).toBe('invalid')
    }
  })
})

describe('fault 78: a proof not in its only valid form', () => {
  const lastByte = (signature: Uint8Array, byte: number) =>
    Uint8Array.from([...signature.subarray(0, -1), byte])

  test.each(ECDSA)('%s: a sighash byte edited to 02, 03, 81 or 83', (kind) => {
    const { witness } = made(kind)
    for (const byte of [0x00, 0x02, 0x03, 0x81, 0x82, 0x83]) {
      const edited = witness.map((item) =>
        item[0] === 0x30 && item.at(-1) === 0x01 ? lastByte(item, byte) : item,
      )
      expect(edited).not.toEqual(witness)
      expect(statusOf(kind, simpleText(edited))).toBe('invalid')
    }
  })

  test.each(LOCAL)('%s: a signature really made for NONE, SINGLE or ANYONECANPAY', (kind) => {
    for (const sighash of [0x02, 0x03, 0x81, 0x82, 0x83]) {
      expect(judge(kind, made(kind, { sighash }).text)).toEqual({
        status: 'invalid',
        reason: 'every signature must be SIGHASH_ALL, or DEFAULT for taproot',
      })
    }
  })

  test.each(LOCAL)('%s: anything around the base64, or a different base64 encoding', (kind) => {
    const { text } = made(kind)
    const { text: full } = made(kind, { format: 'full' })
    for (const proof of [text, full, `smp${text}`, `ful${full}`]) {
      for (const changed of [
        ` ${proof}`,
        `${proof} `,
        `${proof}\n`,
        `${proof}!!!!`,
        `${proof}AAAA`,
        `${proof}====`,
        proof.replace(/=*$/, ''),
        proof.replaceAll('+', '-').replaceAll('/', '_'),
        `SMP${proof}`,
        `smpsmp${proof}`,
      ]) {
        if (changed !== proof) expect(statusOf(kind, changed), changed).toBe('invalid')
      }
    }
  })

  test.each(LOCAL)('%s: an item more or less, a count not in its shortest form', (kind) => {
    const { witness, text } = made(kind)
    const bytes = Buffer.from(text, 'base64')
    const long = Buffer.concat([Buffer.of(0xfd, witness.length, 0), bytes.subarray(1)])
    for (const proof of [
      simpleText([...witness, new Uint8Array()]),
      simpleText([new Uint8Array(), ...witness]),
      simpleText(witness.slice(1)),
      simpleText(witness.slice(0, -1)),
      simpleText([]),
      long.toString('base64'),
      Buffer.concat([bytes, Buffer.of(0)]).toString('base64'),
      bytes.subarray(0, -1).toString('base64'),
    ]) {
      expect(statusOf(kind, proof)).not.toBe('valid')
    }
  })

  test.each(['p2wpkh', 'p2sh-p2wpkh'] as const)('%s: high S, and longer DER', (kind) => {
    const { witness } = made(kind)
    const [signature, key] = witness as [Uint8Array, Uint8Array]
    for (const other of [highS(signature), padded(signature)]) {
      expect(statusOf(kind, simpleText([other, key]))).toBe('invalid')
    }
  })

  test('p2tr: an annex', () => {
    const { witness } = made('p2tr')
    expect(statusOf('p2tr', simpleText([...witness, Uint8Array.of(0x50)]))).toBe('invalid')
  })

  test.each(LOCAL)('%s: any byte of a proof changed', (kind) => {
    const bytes = Buffer.from(made(kind).text, 'base64')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0x01
      expect(statusOf(kind, changed.toString('base64')), `byte ${at}`).not.toBe('valid')
    }
  })
})

describe('fault 79: formats', () => {
  test('a prefix with the body of the other format', () => {
    const simple = made('p2wpkh').text
    const full = made('p2wpkh', { format: 'full' }).text
    expect(judge('p2wpkh', `ful${simple}`)).toEqual({
      status: 'invalid',
      reason: 'the proof is not a transaction, as its prefix says',
    })
    expect(judge('p2wpkh', `smp${full}`)).toEqual({
      status: 'invalid',
      reason: 'the proof is not a witness stack, as its prefix says',
    })
  })

  test('a proof of funds is said to be unsupported', () => {
    const full = made('p2wpkh', { format: 'full' }).text
    expect(judge('p2wpkh', `pof${full}`)).toMatchObject({
      status: 'inconclusive',
      reason: expect.stringContaining('unsupported: a proof of funds'),
    })
    expect(
      judge(
        'p2wpkh',
        changed(full, (tx) => tx.addInput(tx.ins[0]!.hash, 1, 0)),
      ),
    ).toEqual({
      status: 'inconclusive',
      reason: 'unsupported: a proof with more than the one required input',
    })
  })

  test.each(NODES)('a %s is for a full node to judge', (kind) => {
    for (const format of ['simple', 'full'] as const) {
      const answer = judge(kind, made(kind, { format }).text)
      if (answer.status !== 'ask-node') throw new Error(`not asked, but ${answer.status}`)
      const { data, txInputs, txOutputs } = Psbt.fromBase64(answer.psbt)
      const spent = toSpend(MESSAGE, owner(kind).scriptHex)
      expect(answer.inputIndex).toBe(0)
      expect(Buffer.from(txInputs[0]!.hash)).toEqual(Buffer.from(spent.getHash()))
      expect(txOutputs.map(({ value }) => value)).toEqual([0n])
      expect(data.inputs[0]).toMatchObject({
        witnessUtxo: { value: 0n, script: Uint8Array.from(spent.outs[0]!.script) },
        finalScriptWitness: expect.any(Uint8Array),
      })
    }
  })

  test.each(NODES)('a %s with an open lock is not judged', (kind) => {
    const prove = (options: ProofOptions) =>
      judge(kind, made(kind, { format: 'full', ...options }).text)
    const reason = 'unsupported: a lock time for a script that only a full node can judge'
    const locked = { status: 'inconclusive', reason }
    expect(prove({ locktime: 1 })).toEqual(locked)
    expect(prove({ version: 2, sequence: 144 })).toEqual(locked)
    expect(prove({ version: 2, sequence: 0xffffffff }).status).toBe('ask-node')
    expect(prove({ version: 0, sequence: 144 }).status).toBe('ask-node')
  })

  test.each(NODES)(
    'a %s that commits to less than everything, or to nothing, is invalid',
    (kind) => {
      const proof = made(kind, { sighash: 0x83 }).text
      const reason = 'every signature must be SIGHASH_ALL, or DEFAULT for taproot'
      expect(judge(kind, proof)).toEqual({ status: 'invalid', reason })
      const [, ...script] = made(kind).witness
      expect(judge(kind, simpleText([Uint8Array.of(1), ...script]))).toEqual({
        status: 'invalid',
        reason: 'the proof holds no signature of the message',
      })
    },
  )

  // BIP-322: "The use of CODESEPARATOR or FindAndDelete is forbidden." A node would run it to true.
  test('a proof by a script with an OP_CODESEPARATOR is invalid, wherever the script is', () => {
    const [secret = new Uint8Array()] = owner('p2wpkh').secrets
    const key = tiny.pointFromScalar(secret, true) ?? new Uint8Array()
    const script = Uint8Array.from([OP_CODESEPARATOR, key.length, ...key, OP_CHECKSIG])
    const { output = new Uint8Array() } = payments.p2wsh({ redeem: { output: script } })
    const program = Buffer.from(output).toString('hex')
    const signing = toSign(toSpend(MESSAGE, program))
    const digest = signing.hashForWitnessV0(0, script.subarray(1), 0n, Transaction.SIGHASH_ALL)
    const signature = bitcoinScript.signature.encode(
      tiny.sign(digest, secret),
      Transaction.SIGHASH_ALL,
    )
    const leaf = [signature.subarray(0, 64), script, Uint8Array.of(0xc0, ...key.subarray(1))]
    for (const [scriptHex, witness] of [
      [program, [signature, script]],
      [owner('tapscript').scriptHex, leaf],
    ] as const) {
      const answer = judgeProof({ message: MESSAGE, scriptHex, proof: simpleText(witness) }, tiny)
      expect(answer).toMatchObject({
        status: 'invalid',
        reason: expect.stringContaining('OP_CODESEPARATOR'),
      })
    }
  })

  // BIP-322, upgradeable rules.
  test('a proof for a witness version above 1 is inconclusive', () => {
    const { text } = made('p2wpkh')
    for (const scriptHex of [`5220${'11'.repeat(32)}`, '60021111']) {
      const answer = judgeProof({ message: MESSAGE, scriptHex, proof: text }, tiny)
      expect(answer.status).toBe('inconclusive')
    }
  })

  test('a script that is spent without a witness wants a full proof', () => {
    const scriptHex = `76a914${'00'.repeat(20)}88ac`
    const proof = simpleText([Uint8Array.of(1)])
    expect(judgeProof({ message: MESSAGE, scriptHex, proof }, tiny)).toEqual({
      status: 'inconclusive',
      reason:
        'unsupported: a simple proof of a script that is spent without a witness; sign a full proof',
    })
  })

  describe('of a script that is spent without a witness', () => {
    const judgedOf = (kind: LegacyKind, options: LegacyOptions = {}) => {
      const { scriptHex, text } = proveLegacyOwnership(kind, 'owner', MESSAGE, options)
      return judgeProof({ message: MESSAGE, scriptHex, proof: text }, tiny)
    }

    test.each(LEGACY_KINDS)('%s: the node runs it', (kind) => {
      expect(judgedOf(kind).status).toBe('ask-node')
    })

    test.each<[string, LegacyOptions, string]>([
      ['another sighash', { sighash: 0x83 }, 'every signature must be SIGHASH_ALL'],
      ['a witness beside it', { witness: [Uint8Array.of(1)] }, 'is spent without a witness'],
      ['an opcode before it', { before: Uint8Array.of(0x61) }, 'the scriptSig does more than push'],
      ['a cut push', { before: Uint8Array.of(0x4c, 0xff) }, 'the scriptSig does more than push'],
      ['no signature', { signs: false }, 'the proof holds no signature of the message'],
    ])('%s is invalid', (_, options, reason) => {
      for (const kind of LEGACY_KINDS) {
        expect(judgedOf(kind, options)).toEqual({
          status: 'invalid',
          reason: expect.stringContaining(reason),
        })
      }
    })

    test('no lock is taken to be open', () => {
      expect(judgedOf('p2pkh', { locktime: 2016 }).status).toBe('inconclusive')
      expect(judgedOf('p2pkh', { version: 2, sequence: 5 }).status).toBe('inconclusive')
    })
  })

  test('a full proof of another version', () => {
    const { text } = made('p2wpkh', { format: 'full', version: 3 })
    expect(statusOf('p2wpkh', text)).toBe('inconclusive')
  })

  test('a full proof has the outputs of to_sign, and spends to_spend', () => {
    const full = made('p2wpkh', { format: 'full' }).text
    for (const change of [
      (tx: Transaction) => void tx.addOutput(Uint8Array.of(0x6a), 0n),
      (tx: Transaction) => void tx.outs.pop(),
      (tx: Transaction) => void Object.assign(tx.outs[0]!, { value: 1n }),
      (tx: Transaction) => void Object.assign(tx.outs[0]!, { script: Uint8Array.of(0x6a, 0) }),
      (tx: Transaction) => void Object.assign(tx.ins[0]!, { index: 1 }),
      (tx: Transaction) => void Object.assign(tx.ins[0]!, { hash: new Uint8Array(32) }),
      (tx: Transaction) => void Object.assign(tx.ins[0]!, { script: Uint8Array.of(0x51) }),
      (tx: Transaction) => void Object.assign(tx.ins[0]!, { witness: [] }),
    ]) {
      expect(statusOf('p2wpkh', changed(full, change))).toBe('invalid')
    }
  })
})

describe('fault 81: any text gets an answer', () => {
  const scripts = fc.constantFrom(
    ...LOCAL.map((kind) => owner(kind).scriptHex),
    '',
    '6a',
    `76a914${'00'.repeat(20)}88ac`,
    `5120${'ff'.repeat(32)}`,
  )
  const good = LOCAL.flatMap((kind) => [made(kind).text, made(kind, { format: 'full' }).text])
  const proofs = good.map((text) => Buffer.from(text, 'base64'))
  const prefixes = fc.constantFrom('', 'smp', 'ful', 'pof')
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String({ maxLength: 400 }),
    fc
      .tuple(prefixes, fc.uint8Array({ maxLength: 300 }))
      .map(([prefix, bytes]) => prefix + base64(bytes)),
    fc.tuple(prefixes, almost(proofs)).map(([prefix, bytes]) => prefix + base64(bytes)),
    almost(good.map((text) => Buffer.from(text))).map((text) =>
      Buffer.from(text).toString('latin1'),
    ),
  )

  test('no text throws, and no unsigned one is valid', () => {
    fc.assert(
      fc.property(scripts, texts, fc.string(), (scriptHex, proof, message) => {
        const { status } = judgeProof({ message, scriptHex, proof }, tiny)
        expect(['invalid', 'inconclusive', 'ask-node']).toContain(status)
      }),
      { numRuns: FUZZ_RUNS },
    )
  })

  test('of the same message: an edited proof is valid only where it means the same', () => {
    const signed = LOCAL.flatMap((kind) =>
      (['simple', 'full'] as const).map((format) => ({
        scriptHex: owner(kind).scriptHex,
        bytes: Buffer.from(made(kind, { format }).text, 'base64'),
      })),
    )
    const edited = fc
      .constantFrom(...signed)
      .chain((one) => almost([one.bytes]).map((bytes) => ({ ...one, bytes, good: one.bytes })))
    fc.assert(
      fc.property(edited, ({ scriptHex, bytes, good }) => {
        const { status } = judgeProof({ message: MESSAGE, scriptHex, proof: base64(bytes) }, tiny)
        expect(['valid', 'invalid', 'inconclusive']).toContain(status)
        if (status === 'valid') expect(base64(bytes)).toBe(base64(good))
      }),
      { numRuns: FUZZ_RUNS },
    )
  })
})

function changed(full: string, change: (transaction: Transaction) => void): string {
  const transaction = Transaction.fromBuffer(Buffer.from(full, 'base64'))
  change(transaction)
  return Buffer.from(transaction.toBuffer()).toString('base64')
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The parts of a DER signature, r and s as encoded. */
function partsOf(signature: Uint8Array): { r: Uint8Array; s: Uint8Array; sighash: Uint8Array } {
  const rLength = signature[3] ?? 0
  const sLength = signature[5 + rLength] ?? 0
  return {
    r: signature.subarray(4, 4 + rLength),
    s: signature.subarray(6 + rLength, 6 + rLength + sLength),
    sighash: signature.subarray(-1),
  }
}

const der = (r: Uint8Array, s: Uint8Array, sighash: Uint8Array): Uint8Array =>
  Uint8Array.from([
    ...[0x30, r.length + s.length + 4],
    ...[0x02, r.length, ...r, 0x02, s.length, ...s, ...sighash],
  ])

function highS(signature: Uint8Array): Uint8Array {
  const { r, s, sighash } = partsOf(signature)
  const high = (ORDER - BigInt(`0x${Buffer.from(s).toString('hex')}`)).toString(16)
  return der(r, Uint8Array.from([0, ...Buffer.from(high.padStart(64, '0'), 'hex')]), sighash)
}

function padded(signature: Uint8Array): Uint8Array {
  const { r, s, sighash } = partsOf(signature)
  return der(Uint8Array.from([0, ...r]), s, sighash)
}
