import { crypto, Transaction } from 'bitcoinjs-lib'
import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { witnessBytes } from '../../../src/domain/verdict/node-question.ts'
import { judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import type { TxOut } from '../../../src/schemas/scalars.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { type AskOptions, makeAsk } from '../../support/orders/psbt-orders.ts'
import { fragments, publicKey } from '../../support/scripts/fragments.ts'
import { makeScriptAsk, type ScriptAsk } from '../../support/scripts/script-asks.ts'

// Asks with the fields that wallets of the field write: what they are, and whether they are signed.

const v0 = fragments('witness-v0')
const tap = fragments('tapscript')
const by = (...seeds: string[]) => seeds.map((seed) => ({ seed }))
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))
const MASTER = [0xde, 0xad, 0xbe, 0xef]
const path = (...steps: number[]) =>
  Uint8Array.of(...MASTER, ...steps.flatMap((step) => [step, 0, 0, 0x80]))

interface Signed {
  psbt: string
  prevout: TxOut
  sellerIndex?: number
}

function answered({ psbt, prevout, sellerIndex = 0 }: Signed) {
  const { orderClass, reasons, inputCount } = inspectPsbt(psbt).inspection
  const prevouts = Array.from({ length: inputCount }, (_, at) =>
    at === sellerIndex ? prevout : null,
  )
  const answer = judgeSignature({ psbt, inputIndex: sellerIndex, prevouts }, ecc)
  return { orderClass, reasons, signature: answer.status }
}

const ask = (signature: string) => ({ orderClass: 'ASK_ANYONECANPAY', reasons: [], signature })
const changed = <Made extends Signed>(
  made: Made,
  change: Parameters<typeof changePsbt>[1],
): Made => ({
  ...made,
  psbt: changePsbt(made.psbt, change),
})
const made = (options: AskOptions) => makeAsk({ finalised: false, ...options })

/** The witness that a wallet writes for the first leaf, below its script and control block. */
function finalLeaf(of: ScriptAsk, items: (signature: Uint8Array) => Uint8Array[]): ScriptAsk {
  return changed(of, ({ inputs }) => {
    const map = inputs[0] ?? []
    const leaf = map.find(({ type }) => type === 0x15)
    const signature = map.find(({ type }) => type === 0x14)?.value ?? new Uint8Array()
    const witness = [
      ...items(signature),
      leaf?.value.subarray(0, -1) ?? new Uint8Array(),
      leaf?.key.subarray(1) ?? new Uint8Array(),
    ]
    inputs[0] = [...map.filter(({ type }) => type < 0x02), field(0x08, witnessBytes(witness))]
  })
}

describe('what single keys sign', () => {
  test('Sparrow: both utxo fields, the account of the wallet and the path of each key', () => {
    const before = new Transaction()
    before.version = 2
    before.addInput(new Uint8Array(32).fill(9), 1)
    before.addOutput(bytesOf(made({ script: 'p2wpkh' }).prevout.scriptHex), 10_000n)
    const prevout = { txid: before.getId() as never, vout: 0, valueSats: '10000' }
    const sparrow = changed(made({ script: 'p2wpkh', prevout }), ({ global, inputs, outputs }) => {
      const parent = new Uint8Array(40).fill(1)
      const xpub = Uint8Array.of(4, 0x88, 0xb2, 0x1e, 3, ...parent, ...publicKey('x'))
      global.push(field(0x01, path(84, 0, 0), xpub))
      const [signature] = inputs[0]!.filter(({ type }) => type === 0x02)
      inputs[0]!.push(field(0x00, before.toBuffer()))
      inputs[0]!.push(field(0x06, path(84, 0, 0, 0, 3), signature!.key.subarray(1)))
      outputs[0]!.push(field(0x02, path(84, 0, 0, 0, 4), publicKey('change')))
    })
    expect(answered(sparrow)).toEqual(ask('valid'))
  })

  test('Ledger: nested segwit with a partial signature and no redeem script', () => {
    const ledger = changed(made({ script: 'p2sh-p2wpkh' }), ({ inputs }) => {
      inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x04)
    })
    expect(answered(ledger)).toEqual(ask('valid'))
  })

  test('Xverse: nested segwit, final, with what its signer needed still there', () => {
    const partial = made({ script: 'p2sh-p2wpkh' })
    const xverse = changed(makeAsk({ script: 'p2sh-p2wpkh' }), ({ inputs }) => {
      changePsbt(partial.psbt, (other) => {
        inputs[0]!.push(...other.inputs[0]!.filter(({ type }) => [0x02, 0x03, 0x04].includes(type)))
      })
    })
    expect(answered(xverse)).toEqual(ask('valid'))
  })

  test('UniSat and OKX: final, behind two placeholders, which state no output', () => {
    const unisat = makeAsk({ script: 'p2tr', placeholders: 2 })
    expect(answered(unisat)).toEqual(ask('valid'))
    const zero = changed(unisat, ({ transaction }) => {
      for (const at of [0, 1])
        Object.assign(transaction.ins[at]!, { hash: new Uint8Array(32), index: at })
    })
    expect(answered(zero)).toEqual(ask('valid'))
  })

  test('Coldcard: version 2, which says what may still be added', () => {
    const coldcard = made({ script: 'p2wpkh', psbtVersion: 2 })
    expect(answered(coldcard)).toEqual(ask('valid'))
  })

  test('Bitcoin Core: a key of the output with a script tree that it does not show', () => {
    const output = { kind: 'p2tr', leaves: [tap.pk('other')], internal: 'own' } as const
    const core = changed(
      makeScriptAsk({ output, signers: [{ seed: 'own', leaf: null }] }),
      ({ inputs }) => {
        inputs[0] = inputs[0]!.filter(({ type }) => type !== 0x15)
      },
    )
    expect(answered(core)).toEqual(ask('valid'))
  })
})

describe('what several keys sign, or a script', () => {
  test('Electrum: 2 of 3, nested, of which all signed, a preimage and keys of its own', () => {
    const output = { kind: 'p2sh-p2wsh', script: v0.multi(2, ['a', 'b', 'c']) } as const
    const electrum = changed(
      makeScriptAsk({ output, signers: by('b', 'c', 'a'), named: ['a', 'b', 'c'] }),
      ({ inputs }) => {
        inputs[0]!.push(field(0xfc, Uint8Array.of(1), Buffer.from('\x08ELECTRUM\x00')))
        inputs[0]!.push(field(0x09, Uint8Array.of(7)))
      },
    )
    expect(answered(electrum)).toEqual(ask('valid'))
  })

  test('Liana: the recovery path, once its key is old enough, and never before', () => {
    const output = {
      kind: 'p2wsh',
      script: v0.orD(v0.multi(2, ['a', 'b']), v0.and(v0.v(v0.pkh('r')), v0.older(26_280))),
    } as const
    const signers = by('a', 'r')
    expect(answered(makeScriptAsk({ output, signers, sequence: 26_280 }))).toEqual(ask('ask-node'))
    expect(answered(makeScriptAsk({ output, signers }))).toEqual(ask('invalid'))
  })

  test('Nunchuk: a part of a MuSig2 signature is none', () => {
    const output = { kind: 'p2tr', leaves: [tap.pk('a')], internal: 'aggregate' } as const
    const nunchuk = changed(makeScriptAsk({ output, signers: [] }), ({ inputs }) => {
      const aggregate = publicKey('aggregate')
      const participants = Uint8Array.of(...publicKey('a'), ...publicKey('b'))
      inputs[0]!.push(field(0x1a, participants, aggregate))
      const signer = Uint8Array.of(...publicKey('a'), ...aggregate)
      inputs[0]!.push(field(0x1b, new Uint8Array(66).fill(2), signer))
      inputs[0]!.push(field(0x1c, new Uint8Array(32).fill(3), signer))
    })
    expect(inspectPsbt(nunchuk.psbt).inspection).toMatchObject({
      orderClass: 'UNSUPPORTED',
      reasons: ['unsigned'],
    })
  })

  test('Magic Eden: a leaf that the market signs as well is not complete without it', () => {
    const output = { kind: 'p2tr', leaves: [tap.multi(2, ['seller', 'market'])] } as const
    expect(answered(makeScriptAsk({ output, signers: by('seller') }))).toEqual(ask('invalid'))
    expect(answered(makeScriptAsk({ output, signers: by('seller', 'market') }))).toEqual(
      ask('ask-node'),
    )
  })

  test('BDK and rust-miniscript: final, with the leaves and the paths of its keys still there', () => {
    const output = {
      kind: 'p2tr',
      leaves: [tap.and(tap.v(tap.pk('a')), tap.pk('b')), tap.pk('c')],
    } as const
    const partial = makeScriptAsk({ output, signers: by('a', 'b'), named: ['a', 'b', 'c'] })
    const signatures: Uint8Array[] = []
    changePsbt(partial.psbt, ({ inputs }) => {
      for (const seed of ['b', 'a']) {
        const key = publicKey(seed).subarray(1)
        const own = inputs[0]!.find(
          (pair) => pair.type === 0x14 && Buffer.compare(pair.key.subarray(1, 33), key) === 0,
        )
        signatures.push(own!.value)
      }
    })
    const final = finalLeaf(partial, () => signatures)
    const bdk = changed(partial, ({ inputs }) => {
      changePsbt(final.psbt, (other) => {
        inputs[0]!.push(other.inputs[0]!.find(({ type }) => type === 0x08)!)
      })
    })
    expect(answered(bdk)).toEqual(ask('ask-node'))
  })

  test('ord: the leaf that holds an inscription, before it is revealed', () => {
    const body = `4d0802${'61'.repeat(520)}`
    const envelope = `0063036f726401010a746578742f706c61696e00${body.repeat(20)}68`
    const output = { kind: 'p2tr', leaves: [`${tap.pk('a')}${envelope}`] } as const
    expect(answered(makeScriptAsk({ output, signers: by('a') }))).toEqual(ask('ask-node'))
  })

  describe('a swap that is final', () => {
    const preimage = Buffer.from('5e'.repeat(32), 'latin1')
    const hash = Buffer.from(crypto.sha256(preimage)).toString('hex')
    const swap = (tail: string, sighash?: number) => {
      const output = { kind: 'p2tr', leaves: [`${tap.v(tap.pk('a'))}${tail}`] } as const
      const signers = [{ seed: 'a', ...(sighash !== undefined && { sighash }) }]
      const partial = makeScriptAsk({ output, signers })
      return finalLeaf(partial, (signature) => [preimage, signature])
    }
    const locked = `a820${hash}87`

    test('a preimage of 64 bytes is no signature of another sighash', () => {
      expect(preimage).toHaveLength(64)
      expect(answered(swap(locked))).toEqual(ask('ask-node'))
    })

    test('one that its script checks is', () => {
      const other = { orderClass: 'UNSUPPORTED', reasons: ['sighash_not_single_anyonecanpay'] }
      expect(answered(swap(tap.pk('b')))).toMatchObject(other)
      expect(answered(swap(locked, 0x81))).toMatchObject(other)
      expect(answered(swap(`a820${'00'.repeat(32)}87`))).toMatchObject(other)
    })
  })
})
