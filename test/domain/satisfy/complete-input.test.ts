import * as ecc from 'tiny-secp256k1'
import { describe, expect, test } from 'vitest'
import { ORDER_LIMITS } from '../../../src/domain/psbt/psbt-limits.ts'
import { reopenPsbt } from '../../../src/domain/psbt/read-psbt.ts'
import { readWitness } from '../../../src/domain/psbt/witness.ts'
import { inspectPsbt } from '../../../src/domain/verdict/inspect.ts'
import { witnessBytes } from '../../../src/domain/verdict/node-question.ts'
import { completeSigned, judgeSignature } from '../../../src/domain/verdict/signatures.ts'
import { changePsbt, field } from '../../support/orders/psbt-changes.ts'
import { outpointOf } from '../../support/orders/psbt-orders.ts'
import { costlyBids } from '../../support/scripts/costly-bids.ts'
import { fragments, preimageOf, publicKey } from '../../support/scripts/fragments.ts'
import {
  finalByLeaf,
  makeScriptAsk,
  type ScriptAsk,
  type ScriptAskOptions,
  type ScriptSigner,
} from '../../support/scripts/script-asks.ts'

const v0 = fragments('witness-v0')
const tap = fragments('tapscript')
const by = (...seeds: string[]): ScriptSigner[] => seeds.map((seed) => ({ seed }))
const wsh = (script: string, signers: ScriptSigner[], more: Partial<ScriptAskOptions> = {}) =>
  makeScriptAsk({ output: { kind: 'p2wsh', script }, signers, ...more })
const tr = (leaves: string[], signers: ScriptSigner[], more: Partial<ScriptAskOptions> = {}) =>
  makeScriptAsk({ output: { kind: 'p2tr', leaves }, signers, ...more })

const asked = ({ psbt, prevout }: ScriptAsk) => ({ psbt, inputIndex: 0, prevouts: [prevout] })
const judged = (ask: ScriptAsk) => judgeSignature(asked(ask), ecc)
/** The witness of the completion, by the lengths of its items. */
const lengths = (ask: ScriptAsk): number[] | null =>
  completeSigned(asked(ask), ecc)?.witness.map(({ length }) => length) ?? null
const hasWay = (ask: ScriptAsk): boolean => judged(ask).status === 'ask-node'
const isRefused = (ask: ScriptAsk): void =>
  expect(judged(ask)).toEqual({ status: 'invalid', reason: 'signature_invalid' })

/** An ask of one signature whose witness is an empty item, the signature and the script. */
function finalised(ask: ScriptAsk, scriptHex: string): ScriptAsk {
  const psbt = changePsbt(ask.psbt, ({ inputs }) => {
    const map = inputs[0] ?? []
    const signature = map.find(({ type }) => type === 0x02)?.value ?? new Uint8Array()
    const items = [new Uint8Array(), signature, Buffer.from(scriptHex, 'hex')]
    inputs[0] = [...map.filter(({ type }) => type < 0x02), field(0x08, witnessBytes(items))]
  })
  return { ...ask, psbt }
}

const SIGNED = [71, 72]
const isSigned = (length: number | undefined) => SIGNED.includes(length ?? 0)

describe('signatures: as many as the script wants, whichever they are', () => {
  test('thresh of three keys, all of which signed, gets two and an empty item', () => {
    const ask = wsh(v0.threshOfKeys(2, ['a', 'b', 'c']), by('c', 'a', 'b'))
    expect(lengths(ask)?.filter((length) => length === 0)).toHaveLength(1)
    expect(lengths(ask)?.filter(isSigned)).toHaveLength(2)
    expect(hasWay(ask)).toBe(true)
  })

  test('every pair of three keys, in every order', () => {
    for (const pair of [
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'c'],
      ['c', 'b'],
    ]) {
      expect(hasWay(wsh(v0.threshOfKeys(2, ['a', 'b', 'c']), by(...pair)))).toBe(true)
      expect(hasWay(tr([tap.threshOfKeys(2, ['a', 'b', 'c'])], by(...pair)))).toBe(true)
      expect(hasWay(tr([tap.multi(2, ['a', 'b', 'c'])], by(...pair)))).toBe(true)
      expect(judged(wsh(v0.multi(2, ['a', 'b', 'c']), by(...pair)))).toEqual({ status: 'valid' })
    }
  })

  test('a signature that does not verify is passed over where another suffices', () => {
    const signers = [{ seed: 'a', isBroken: true }, ...by('b', 'c')]
    expect(judged(wsh(v0.multi(2, ['a', 'b', 'c']), signers))).toEqual({ status: 'valid' })
    expect(lengths(tr([tap.multi(2, ['a', 'b', 'c'])], signers))?.slice(0, 3)).toEqual([65, 65, 0])
    isRefused(wsh(v0.multi(2, ['a', 'b', 'c']), signers.slice(0, 2)))
  })

  test('one of a key that is not in the script is not used', () => {
    expect(judged(wsh(v0.multi(2, ['a', 'b', 'c']), by('x', 'a', 'b')))).toEqual({
      status: 'valid',
    })
    isRefused(wsh(v0.multi(2, ['a', 'b', 'c']), by('x', 'a')))
  })

  test('20 of 20 keys and 11 of 20 are within the bound', () => {
    const seeds = Array.from({ length: 20 }, (_, n) => `key ${n}`)
    expect(hasWay(wsh(v0.threshOfKeys(11, seeds), by(...seeds)))).toBe(true)
    expect(hasWay(tr([tap.multi(11, seeds)], by(...seeds)))).toBe(true)
    expect(judged(wsh(v0.multi(20, seeds), by(...seeds)))).toMatchObject({ status: 'ask-node' })
    isRefused(wsh(v0.threshOfKeys(11, seeds), by(...seeds.slice(0, 10))))
  })

  test('16 keys are judged here; behind 17 no opcode pushes their number, and the node judges', () => {
    const final = (total: string, count: number) => {
      const seeds = ['a', ...Array.from({ length: count - 1 }, (_, n) => `key ${n}`)]
      const keys = seeds.map((seed) => `21${Buffer.from(publicKey(seed)).toString('hex')}`)
      const script = `51${keys.join('')}${total}ae`
      return finalised(wsh(script, by('a')), script)
    }
    expect(judged(final('60', 16))).toEqual({ status: 'valid' })
    expect(judged(final('61', 17)).status).toBe('ask-node')
    expect(judged(final('6f', 31)).status).toBe('ask-node')
  })

  test('P2SH-P2WSH gets its scriptSig, by its witness script alone, which it needs', () => {
    const script = v0.threshOfKeys(2, ['a', 'b', 'c'])
    const ask = makeScriptAsk({
      output: { kind: 'p2sh-p2wsh', script },
      signers: by('a', 'b', 'c'),
    })
    const without = (missing: number): ScriptAsk => {
      const psbt = changePsbt(ask.psbt, ({ inputs }) => {
        inputs[0] = inputs[0]!.filter(({ type }) => type !== missing)
      })
      return { ...ask, psbt }
    }
    expect(hasWay(ask)).toBe(true)
    expect(completeSigned(asked(without(0x04)), ecc)).toEqual(completeSigned(asked(ask), ecc))
    expect(judged(without(0x05))).toEqual({ status: 'unverifiable' })
  })
})

describe('sighashes that differ', () => {
  const script = v0.multi(2, ['a', 'b', 'c'])

  test('the signatures of an ask suffice: the others are not used', () => {
    const signers = [{ seed: 'a', sighash: 0x01 }, ...by('b', 'c')]
    const ask = wsh(script, signers, { sighashField: null })
    expect(inspectPsbt(ask.psbt).inspection).toMatchObject({
      orderClass: 'ASK_ANYONECANPAY',
      reasons: [],
    })
    expect(judged(ask)).toEqual({ status: 'valid' })
  })

  test('none is left out where the input names its sighash [BIP174 PSBT_IN_SIGHASH_TYPE]', () => {
    const signers = [{ seed: 'a', sighash: 0x01 }, ...by('b', 'c')]
    expect(inspectPsbt(wsh(script, signers).psbt).inspection).toMatchObject({
      orderClass: 'UNSUPPORTED',
      reasons: ['sighash_not_single_anyonecanpay', 'sighash_field_differs'],
    })
  })

  test('they do not suffice: it is no ask', () => {
    const signers = [{ seed: 'a', sighash: 0x01 }, { seed: 'b' }]
    const ask = wsh(script, signers, { sighashField: null })
    expect(inspectPsbt(ask.psbt).inspection).toMatchObject({
      orderClass: 'UNSUPPORTED',
      reasons: ['sighash_not_single_anyonecanpay'],
    })
  })

  test('an ask is not completed with a signature of another sighash', () => {
    const signers = [{ seed: 'a', sighash: 0x01 }, { seed: 'b', isBroken: true }, { seed: 'c' }]
    expect(judged(wsh(script, signers, { sighashField: null })).status).toBe('invalid')
  })
})

describe('miniscript', () => {
  const options: [string, string, Partial<ScriptAskOptions>, Partial<ScriptAskOptions>][] = [
    ['sha256', v0.and(v0.v(v0.pk('a')), v0.sha256('s')), { preimages: { sha256: ['s'] } }, {}],
    [
      'hash256',
      v0.and(v0.v(v0.pk('a')), v0.hash256('s')),
      { preimages: { hash256: ['s'] } },
      { preimages: { hash256: ['t'] } },
    ],
    [
      'ripemd160',
      v0.and(v0.v(v0.pk('a')), v0.ripemd160('s')),
      { preimages: { ripemd160: ['s'] } },
      {},
    ],
    ['hash160', v0.and(v0.v(v0.pk('a')), v0.hash160('s')), { preimages: { hash160: ['s'] } }, {}],
    ['older', v0.and(v0.v(v0.pk('a')), v0.older(10)), { sequence: 10 }, { sequence: 9 }],
    [
      'older, of version 1',
      v0.and(v0.v(v0.pk('a')), v0.older(10)),
      { sequence: 10 },
      { sequence: 10, version: 1 },
    ],
    ['after', v0.and(v0.v(v0.pk('a')), v0.after(500)), { locktime: 500 }, { locktime: 499 }],
    [
      'after, where the input is final',
      v0.and(v0.v(v0.pk('a')), v0.after(500)),
      { locktime: 501 },
      { locktime: 501, sequence: 0xffffffff },
    ],
    [
      'after, a height is no time',
      v0.and(v0.v(v0.pk('a')), v0.after(500)),
      { locktime: 500 },
      { locktime: 500_000_001 },
    ],
    [
      'or_i, by either branch',
      v0.orI(v0.pk('b'), v0.and(v0.v(v0.pk('a')), v0.older(10))),
      { sequence: 10 },
      { sequence: 9 },
    ],
    [
      'or_d',
      v0.orD(v0.pk('b'), v0.and(v0.v(v0.pkh('a')), v0.older(10))),
      { sequence: 10 },
      { sequence: 9 },
    ],
    [
      'andor',
      v0.andor(v0.pk('b'), v0.sha256('s'), v0.and(v0.v(v0.pk('a')), v0.older(10))),
      { sequence: 10 },
      { sequence: 9 },
    ],
    [
      'thresh over a hash',
      v0.thresh(2, [v0.pk('a'), v0.pk('b'), v0.sha256('s')]),
      { preimages: { sha256: ['s'] } },
      {},
    ],
    [
      'pkh of an unsigned key, not satisfied',
      v0.orD(v0.pkh('b'), v0.pk('a')),
      { named: ['b'] },
      {},
    ],
  ]
  test.each(options)('%s', (_, script, good, bad) => {
    expect(hasWay(wsh(script, by('a'), good))).toBe(true)
    isRefused(wsh(script, by('a'), bad))
  })

  test('a preimage that nodes do not relay is not used', () => {
    const ask = wsh(v0.and(v0.v(v0.pk('a')), `a8${'20'}${'00'.repeat(32)}87`), by('a'))
    const long = changePsbt(ask.psbt, ({ inputs }) => {
      inputs[0]!.push(field(0x0b, new Uint8Array(81), new Uint8Array(32)))
    })
    isRefused({ ...ask, psbt: long })
  })

  test('what needs no signature is not an ask of the owner', () => {
    const script = v0.orI(v0.pk('b'), v0.sha256('s'))
    isRefused(wsh(script, by('a'), { preimages: { sha256: ['s'] } }))
    const leaf = tr([tap.sha256('s'), tap.multi(2, ['a', 'b'])], [{ seed: 'a', leaf: 1 }], {
      preimages: { sha256: ['s'] },
    })
    isRefused(leaf)
  })

  test('the cheapest branch is taken', () => {
    const recovery = v0.and(v0.v(v0.pk('a')), v0.older(10))
    const script = v0.orI(v0.multi(2, ['a', 'b']), recovery)
    const ask = wsh(script, by('a', 'b'), { sequence: 10 })
    expect(lengths(ask)?.filter(isSigned)).toHaveLength(1)
    expect(lengths(wsh(script, by('a', 'b'), { sequence: 9 }))?.filter(isSigned)).toHaveLength(2)
  })
})

describe('taproot', () => {
  const both = tap.and(tap.v(tap.pk('a')), tap.pk('b'))
  const recovery = tap.and(tap.v(tap.pk('b')), tap.older(10))
  const twice = [
    { seed: 'b', leaf: 0 },
    { seed: 'b', leaf: 1 },
  ]

  test('the leaf that its signatures satisfy, wherever it stands', () => {
    for (const leaves of [
      [both, recovery],
      [recovery, both],
    ]) {
      expect(hasWay(tr(leaves, twice, { sequence: 10 }))).toBe(true)
      isRefused(tr(leaves, twice, { sequence: 9 }))
    }
  })

  test('the output key before any leaf, and a leaf where its signature does not verify', () => {
    const output = { kind: 'p2tr', leaves: [both, recovery], internal: 'k' } as const
    const more = { output, sequence: 10 }
    const ask = makeScriptAsk({ ...more, signers: [{ seed: 'k', leaf: null }, ...twice] })
    expect(judged(ask)).toEqual({ status: 'valid' })
    expect(lengths(ask)).toEqual([65])
    const wrong = makeScriptAsk({ ...more, signers: [{ seed: 'x', leaf: null }, ...twice] })
    expect(hasWay(wrong)).toBe(true)
    expect(lengths(wrong)?.length).toBe(3)
  })

  test('a leaf of another version is not relayed', () => {
    const output = { kind: 'p2tr', leaves: [tap.pk('a')], leafVersion: 0xc2 } as const
    expect(judged(makeScriptAsk({ output, signers: by('a') }))).toEqual({ status: 'unverifiable' })
  })

  test('a leaf that the output does not commit to is none', () => {
    const ask = tr([tap.pk('a')], by('a'))
    const other = tr([tap.pk('c')], by('c'))
    expect(judged({ psbt: ask.psbt, prevout: other.prevout })).toEqual({ status: 'unverifiable' })
  })

  test('an opcode that only a later rule defines is not relayed', () => {
    isRefused(tr([`${tap.v(tap.pk('a'))}50`], by('a')))
    isRefused(tr([`${tap.v(tap.pk('a'))}bb`], by('a')))
  })
})

describe('what nodes relay', () => {
  test('a key that is not compressed signs no witness', () => {
    const key = Buffer.from(publicKey('a', false)).toString('hex')
    const script = `41${key}ac`
    const signers = [{ seed: 'a', isCompressed: false }]
    isRefused(wsh(script, signers))
    const legacy = makeScriptAsk({ output: { kind: 'bare', script }, signers })
    expect(completeSigned(asked(legacy), ecc)?.scriptSig.length).toBeGreaterThan(70)
    expect(inspectPsbt(legacy.psbt).inspection.reasons).toEqual(['legacy_input'])
  })

  test('a finalised witness with an item of 81 bytes is refused, whatever the node finds', () => {
    const script = v0.and(v0.v(v0.pk('a')), `7551`)
    const ask = wsh(script, by('a'))
    const witness = completeSigned(asked(ask), ecc)?.witness ?? []
    expect(witness).toHaveLength(3)
    for (const [bytes, answer] of [
      [80, { status: 'ask-node', flaw: null }],
      [81, { status: 'ask-node', flaw: 'witness_not_standard' }],
    ] as const) {
      const items = [new Uint8Array(bytes), ...witness.slice(1)]
      const value = Uint8Array.of(3, ...items.flatMap((item) => [item.length, ...item]))
      const psbt = changePsbt(ask.psbt, ({ inputs }) => {
        inputs[0] = [inputs[0]![0]!, field(0x08, value)].filter(({ type }) => type !== 0x02)
      })
      expect(judged({ ...ask, psbt })).toMatchObject(answer)
    }
  })
})

describe('legacy outputs of a purchase', () => {
  const multisig = v0.multi(2, ['a', 'b', 'c'])
  test.each([
    ['p2sh', 3],
    ['bare', 2],
  ] as const)('%s multisig of surplus signatures', (kind, pushes) => {
    const ask = makeScriptAsk({ output: { kind, script: multisig }, signers: by('c', 'a', 'b') })
    const scripts = completeSigned(asked(ask), ecc)
    expect(scripts?.witness).toEqual([])
    expect(scripts?.scriptSig[0]).toBe(0)
    expect(scripts?.scriptSig.length).toBeGreaterThan(2 * 72)
    expect(pushes).toBeGreaterThan(1)
  })
})

describe('the bound', () => {
  /** Each IF asks a stranger's question whose answer is kept: no two runs have the same future. */
  const doubling = (questions: number) =>
    `${'63516700686b'.repeat(questions)}${'6c75'.repeat(questions)}${v0.multi(2, ['a', 'b'])}`

  test('a script with more ways than are tried is not judged', () => {
    expect(judged(wsh(doubling(20), by('a')))).toEqual({ status: 'beyond-bound' })
    expect(judged(wsh(doubling(3), by('a')))).toEqual({
      status: 'invalid',
      reason: 'signature_invalid',
    })
    expect(hasWay(wsh(doubling(3), by('a', 'b')))).toBe(true)
  })

  test('copies of a deep stack count, and every value that an item may have', () => {
    const deep = `0284037a6b${'826b6b'.repeat(60)}${v0.pk('a')}`
    const ask = wsh(deep, by('a'), {
      preimages: { sha256: Array.from({ length: 100 }, (_, n) => `preimage ${n}`) },
    })
    expect(judged(ask)).toEqual({ status: 'beyond-bound' })
  })

  test('checks of signatures count: each key at each OP_CODESEPARATOR is one', () => {
    const seeds = Array.from({ length: 60 }, (_, n) => `key ${n}`)
    const ask = wsh(`${'abac6b'.repeat(60)}51`, by(...seeds))
    let checks = 0
    const verify: typeof ecc.verify = (...signed) => {
      checks += 1
      return ecc.verify(...signed)
    }
    expect(judgeSignature(asked(ask), { ...ecc, verify })).toEqual({ status: 'beyond-bound' })
    expect(checks).toBeGreaterThan(50)
    expect(checks).toBeLessThan(10_000 / 32)
  })

  test('in a tapscript, such a check counts as four', () => {
    const ask = tr([`${'ab'.repeat(40)}${`${tap.v(tap.pk('a'))}ab`.repeat(90)}51`], by('a'))
    let checks = 0
    const verifySchnorr: typeof ecc.verifySchnorr = (...signed) => {
      checks += 1
      return signed.length > 0
    }
    expect(judgeSignature(asked(ask), { ...ecc, verifySchnorr })).toEqual({
      status: 'beyond-bound',
    })
    expect(checks).toBeGreaterThan(50)
    expect(checks).toBeLessThan(10_000 / 128)
  })

  test('a leaf beyond it does not hide one within', () => {
    const evil = '63516700686b'.repeat(20) + '6c75'.repeat(20) + tap.multi(2, ['a', 'b'])
    const leaves = [evil, `${tap.v(tap.pk('a'))}51${'61'.repeat(400)}`]
    const signers = [
      { seed: 'a', leaf: 0 },
      { seed: 'a', leaf: 1 },
    ]
    expect(hasWay(tr(leaves, signers))).toBe(true)
  })

  test('128 leaves, of which the last but one is satisfied', () => {
    const leaves = Array.from({ length: 128 }, (_, n) => tap.multi(2, ['a', `other ${n}`]))
    leaves[126] = tap.multi(2, ['a', 'b'])
    const signers = [126, 3, 70].map((leaf) => ({ seed: 'a', leaf }))
    expect(hasWay(tr(leaves, [...signers, { seed: 'b', leaf: 126 }]))).toBe(true)
    isRefused(tr(leaves, signers))
  })

  test('operations of OP_CHECKMULTISIG count, also of one that ends the script', () => {
    const nops = (count: number) => `${'61'.repeat(count)}${v0.multi(1, ['a', 'b'])}`
    expect(hasWay(wsh(nops(198), by('a')))).toBe(true)
    isRefused(wsh(nops(199), by('a')))
  })

  test('each check of a tapscript needs 50 bytes of its witness, its control block included', () => {
    const key = `20${Buffer.from(publicKey('a').subarray(1)).toString('hex')}`
    const again = (checks: number) => tap.and(`${`76${key}ad`.repeat(checks - 1)}`, tap.pk('a'))
    // Ten need 500: 50, 1 for the number of items, 66 of a signature, 352 of script, 34 of control.
    expect(hasWay(tr([again(10)], by('a')))).toBe(true)
    expect(hasWay(tr([again(11)], by('a')))).toBe(false)
  })

  test.each([
    ['the depth of its stack', `${v0.v(v0.pk('a'))}74005187`],
    ['a depth that the witness gives', `${v0.v(v0.pk('a'))}7a`],
    ['a number of keys that the witness gives', `${v0.v(v0.pk('a'))}ae`],
    ['keys that the witness gives', `${v0.v(v0.pk('a'))}6b6b006c6c52ae`],
    ['a lock time that the witness gives', `${v0.v(v0.pk('a'))}b1`],
  ])('a script whose answer depends on %s is not judged', (_, script) => {
    expect(judged(wsh(script, by('a'))).status).toBe('unverifiable')
  })
})

describe('a final tapscript with a signature of 64 bytes', () => {
  const script = (tail: string) => tap.and(tap.v(tap.pk('a')), tail)
  const paid = (leaf: string, separator?: number): ScriptAsk => {
    const signer = { seed: 'a', sighash: 0, ...(separator !== undefined && { separator }) }
    return finalByLeaf(tr([leaf], [signer], { sighashField: null }), leaf)
  }

  test('the depth of its stack is known', () => {
    expect(judged(paid(script('740087')))).toEqual({ status: 'no-ask', isValid: true })
    expect(judged(paid(script('745187')))).toEqual({
      status: 'invalid',
      reason: 'signature_invalid',
    })
  })

  test('what is signed behind an OP_CODESEPARATOR must commit to it', () => {
    const separated = `51ab69${tap.pk('a')}`
    expect(judged(paid(separated))).toEqual({ status: 'invalid', reason: 'signature_invalid' })
    expect(judged(paid(separated, 1))).toEqual({ status: 'no-ask', isValid: true })
    expect(judged(paid(separated, 0))).toEqual({ status: 'invalid', reason: 'signature_invalid' })
  })

  test('the last OP_CODESEPARATOR that was executed counts, by its place among the instructions', () => {
    // A push, OP_DROP, OP_1, and a separator in each branch of an OP_IF.
    const branches = `02aabb755163ab67ab68${tap.pk('a')}`
    expect(judged(paid(branches, 4))).toEqual({ status: 'no-ask', isValid: true })
    for (const other of [3, 5, 6, 0xffffffff])
      expect(judged(paid(branches, other)).status).toBe('invalid')
  })
})

describe('a signature of a tapscript commits to the last OP_CODESEPARATOR before it (BIP342)', () => {
  const separated = `ab${tap.pk('a')}`
  const both = tap.and(tap.v(tap.pk('a')), tap.pk('b'))

  test('one that does not is passed over where another leaf is signed', () => {
    const signers = ['a', 'b'].map((seed) => ({ seed, leaf: 1 }))
    const ask = tr([separated, both], [{ seed: 'a', leaf: 0 }, ...signers])
    expect(hasWay(ask)).toBe(true)
    expect(lengths(ask)?.slice(0, 2)).toEqual([65, 65])
  })

  test('one that does is the cheaper way', () => {
    const signers = ['a', 'b'].map((seed) => ({ seed, leaf: 1 }))
    const ask = tr([separated, both], [{ seed: 'a', leaf: 0, separator: 0 }, ...signers])
    expect(lengths(ask)).toHaveLength(3)
  })
})

test('the same signature for many keys is not checked with each of them', () => {
  const others = Array.from({ length: 100 }, (_, n) => `${tap.pk(`other ${n}`)}75`).join('')
  const leaf = others + tap.pk('a')
  const ask = tr([leaf], by('a'))
  const psbt = changePsbt(ask.psbt, ({ inputs }) => {
    const map = inputs[0] ?? []
    const signature = map.find(({ type }) => type === 0x14)?.value.subarray(0, 64)
    const control = map.find(({ type }) => type === 0x15)?.key.subarray(1) ?? new Uint8Array()
    const copies = Array.from({ length: 100 }, () => signature ?? new Uint8Array())
    const items = [...copies, Buffer.from(leaf, 'hex'), control]
    inputs[0] = [...map.filter(({ type }) => type < 0x02), field(0x08, witnessBytes(items))]
  })
  let checks = 0
  const verifySchnorr: typeof ecc.verifySchnorr = (...signed) => {
    checks += 1
    return ecc.verifySchnorr(...signed)
  }
  judgeSignature(asked({ ...ask, psbt }), { ...ecc, verifySchnorr })
  expect(checks).toBeLessThan(300)
})

test('a completion is read again as the final witness that it is', () => {
  const ask = wsh(v0.and(v0.v(v0.pk('a')), v0.sha256('s')), by('a'), {
    preimages: { sha256: ['s'] },
  })
  const answer = judged(ask)
  if (answer.status !== 'ask-node') throw new Error(answer.status)
  const { psbt } = reopenPsbt(Buffer.from(answer.psbt, 'base64'), ORDER_LIMITS)
  const items = readWitness(psbt.data.inputs[0]!.finalScriptWitness!)?.items ?? []
  expect(Buffer.from(items[0] ?? '')).toEqual(Buffer.from(preimageOf('s')))
  expect(isSigned(items[1]?.length)).toBe(true)
})

test('the bid of the abuse suite is beyond the bound, and costs no more than it', () => {
  const victim = {
    outpoint: outpointOf('victim'),
    output: { valueSats: '9000', scriptHex: `5120${'11'.repeat(32)}` },
  }
  const psbt = costlyBids(victim).make(1)
  const { inspection } = inspectPsbt(psbt)
  expect(inspection).toMatchObject({ orderClass: 'BID_FULLY_FUNDED', inputCount: 2 })
  const question = { psbt, inputIndex: 0, prevouts: inspection.inputWitnessUtxos }
  expect(judgeSignature(question, ecc)).toEqual({ status: 'beyond-bound' })
})
