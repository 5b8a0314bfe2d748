import { crypto } from 'bitcoinjs-lib'
import fc from 'fast-check'
import * as ecc from 'tiny-secp256k1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ORDER_LIMITS } from '../../src/domain/psbt/psbt-limits.ts'
import { PsbtRefusedError } from '../../src/domain/psbt/psbt-refused.ts'
import { type ReadPsbt, readPsbt } from '../../src/domain/psbt/read-psbt.ts'
import { wholeQuestion, witnessBytes } from '../../src/domain/verdict/node-question.ts'
import { factsOf } from '../../src/domain/verdict/psbt-facts.ts'
import {
  completeSigned,
  judgeSignature,
  type SignatureAnswer,
} from '../../src/domain/verdict/signatures.ts'
import type { TxOut } from '../../src/schemas/scalars.ts'
import { SCRIPTS } from '../support/chain/keys.ts'
import { fieldCases } from '../support/field/field-cases.ts'
import { changePsbt, field } from '../support/orders/psbt-changes.ts'
import { makeAsk, makeBid } from '../support/orders/psbt-orders.ts'
import { handwrittenAsks } from '../support/scripts/handwritten-asks.ts'
import { mutatedPsbt } from '../support/scripts/psbt-mutations.ts'
import { publishedPsbts } from '../support/scripts/published-psbts.ts'
import { randomScriptAsk } from '../support/scripts/random-script-asks.ts'
import { randomTapscript } from '../support/scripts/random-tapscripts.ts'
import { type Core, CoreError, prepareCore } from '../support/services/core.ts'

// Both parsers, the finaliser and the signature checks beside Bitcoin Core's decodepsbt,
// finalizepsbt and analyzepsbt. PSBT_RUNS=20000 PSBT_SEED=5 for more, and others, than CI does.

const RUNS = Number(process.env['PSBT_RUNS'] ?? 2_000)
const SEED = Number(process.env['PSBT_SEED'] ?? 34)

/** A kind of difference, and the line of the BIP by which it is right. */
interface Difference {
  found: RegExp
  rule: string
}

/** Every kind of difference that is allowed; in none of them do we accept what Core refuses. */
const ALLOWED: readonly Difference[] = [
  {
    found: /^refused here: the PSBT has no (?:inputs|outputs)$/,
    rule: 'an order offers an output for a payout; BIP-174, Creator: a PSBT may begin with neither',
  },
  {
    found: /^refused here: .*incompatible height-based and time-based locktime/,
    rule: 'BIP-370, Determining Lock Time: no lock time fits both kinds, so there is no transaction',
  },
  {
    found: /^refused here: .*(?:Cannot find square root|bad point|point is not on curve)/,
    rule: 'BIP-174, <public key>: a public key is a point of the curve (BIP-340 for x-only keys)',
  },
  {
    found: /^refused here: .*Non-empty key for (?:dnssecProof|porCommitment)/,
    rule: 'BIP-174 0x09, BIP-353 0x35: "no key data"; Core takes the type for an unknown one',
  },
  {
    found: /^refused here: .*(?:Non-empty key for sp|field sp\w+ is not allowed)/,
    rule: 'BIP-375: its fields have no key data where none is named, and are of version 2 only',
  },
  {
    found: /^refused here: .*Non-empty key for (?:spTweak|genericSignedMessage)/,
    rule: 'BIP-376 and its message field: "no key data"; Core takes the type for an unknown one',
  },
  {
    found: /^refused here: .*(?:Unexpected end of buffer|bits left after unpack)/,
    rule: 'BIP-375, BIP-373, BIP-371: the lengths of keys and values of fields that Core does not read',
  },
  {
    found: /^refused here: .*tapLeafScript version mi/,
    rule: 'BIP-371, PSBT_IN_TAP_LEAF_SCRIPT: the control block and the value name the same version',
  },
  {
    found: /^refused here: .*PSBT_GLOBAL_XPUB: xpub depth=\d+ must match derivation path length/,
    rule: 'BIP-174, PSBT_GLOBAL_XPUB: the number of indexes "must match the depth provided in the extended public key"',
  },
  {
    found: /^refused here: .*(?:wrong amount=|an output is worth more than 21 million)/,
    rule: 'no BIP: no transaction may have an amount below zero or above 21 million bitcoin (Core MoneyRange)',
  },
  {
    found: /^refused here: .*witnessUtxo different from nonWitnessUtxo/,
    rule: 'BIP-174, Signer: where both utxos are given, they must be of the same output',
  },
  {
    found:
      /^refused here: (?:the PSBT (?:names|has|is larger)|the witnesses|a script|the scripts) /,
    rule: 'no BIP: the bounds of an order, docs/design/orders.md#formats',
  },
  {
    found: /^not final here: none(?:, and a prevout is not stated)?$/,
    rule: 'BIP-373, Input Finalizer: partial signatures of MuSig2 are not aggregated here: unsigned',
  },
  {
    found: /^not final here: unverifiable, and a prevout is not stated$/,
    rule: 'BIP-341, Common signature message: every prevout is asked of the node first, never guessed',
  },
  {
    found: /^final here only$/,
    rule: 'BIP-174, Input Finalizer: any sufficient choice; analyzepsbt runs this one to true',
  },
]

let core: Core
beforeAll(async () => {
  core = await prepareCore({ args: [] })
  await core.start()
})
afterAll(() => core.close())

const Analysis = z.object({ inputs: z.array(z.object({ is_final: z.boolean() })).optional() })
const Finalised = z.object({ psbt: z.string() })

async function isFinal(psbt: string, at: number): Promise<boolean> {
  const { inputs } = Analysis.parse(await core.rpc('analyzepsbt', psbt))
  return inputs?.[at]?.is_final ?? false
}

const decodes = (psbt: string): Promise<boolean> =>
  core.rpc('decodepsbt', psbt).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CoreError) return false
      throw error
    },
  )

function readHere(bytes: Uint8Array): ReadPsbt | string {
  try {
    const read = readPsbt(bytes, ORDER_LIMITS)
    factsOf(read)
    return read
  } catch (error) {
    if (error instanceof PsbtRefusedError) return error.message
    throw error
  }
}

/** Every difference between this service and Core about these bytes. */
class Comparison {
  readonly counts = { read: 0, refused: 0, final: 0, notFinal: 0 }
  readonly differences = new Map<string, string>()

  async compare(bytes: Uint8Array): Promise<void> {
    const psbt = Buffer.from(bytes).toString('base64')
    const read = readHere(bytes)
    const isDecoded = await decodes(psbt)
    if (typeof read === 'string') {
      this.counts.refused += 1
      if (isDecoded) this.#note(`refused here: ${read}`, psbt)
    } else if (isDecoded) {
      this.counts.read += 1
      await this.#compareInputs(psbt, read)
    } else this.#note('ACCEPTED HERE ONLY', psbt)
  }

  /** The differences that no entry of the list allows, each with a PSBT that shows it. */
  unlisted(): string[] {
    return [...this.differences]
      .filter(([found]) => !ALLOWED.some((one) => one.found.test(found)))
      .map(([found, psbt]) => `${found} ${psbt}`)
  }

  async #compareInputs(psbt: string, read: ReadPsbt): Promise<void> {
    const { inputs } = factsOf(read)
    const prevouts = inputs.map(({ prevout }) => prevout)
    const finalised = Finalised.parse(await core.rpc('finalizepsbt', psbt, false))
    for (const [inputIndex, prevout] of prevouts.entries()) {
      if (!prevout) continue
      const question = { psbt, inputIndex, prevouts }
      const answer = judgeSignature(question, ecc)
      const here = await isFinalHere(answer, question, read)
      const there = await isFinal(finalised.psbt, inputIndex)
      this.counts[here ? 'final' : 'notFinal'] += 1
      if (answer.status === 'valid' && !here) this.#note('VALID HERE ONLY', psbt)
      const lacks = prevouts.includes(null) ? ', and a prevout is not stated' : ''
      if (there && !here) this.#note(`not final here: ${wordsFor(answer)}${lacks}`, psbt)
      if (here && !there) this.#note('final here only', psbt)
    }
  }

  #note(found: string, psbt: string): void {
    const known = this.differences.get(found)
    if (known === undefined || psbt.length < known.length) this.differences.set(found, psbt)
  }
}

/** Does Core run the completion that is made here to true? */
async function isFinalHere(
  answer: SignatureAnswer,
  question: { psbt: string; inputIndex: number; prevouts: readonly (TxOut | null)[] },
  { unsigned }: ReadPsbt,
): Promise<boolean> {
  if (answer.status === 'ask-node') return isFinal(answer.psbt, answer.inputIndex)
  if (answer.status !== 'valid' && answer.status !== 'no-ask') return false
  const scripts = completeSigned(question, ecc)
  if (!scripts) return false
  // A signature of one input commits to no other prevout; all others were known.
  const prevouts = question.prevouts.map((one) => one ?? { valueSats: '1', scriptHex: '51' })
  const { inputIndex } = question
  return isFinal(wholeQuestion(unsigned, inputIndex, scripts, prevouts).psbt, inputIndex)
}

type FieldPsbt = ReturnType<typeof fieldCases<'inspect'>>[number]['input']

/** Does Core run the one input of a case to true, with the output that it spends? */
async function isSignedOnCore({ psbt, prevouts }: FieldPsbt): Promise<boolean> {
  const read = readPsbt(bytesOf(psbt), ORDER_LIMITS)
  const [{ outpoint } = { outpoint: null }] = factsOf(read).inputs
  const prevout = prevouts.find(
    ({ txid, vout }) => txid === outpoint?.txid && vout === outpoint.vout,
  )
  if (!prevout) throw new Error('the case states no output for its first input')
  const question = { psbt, inputIndex: 0, prevouts: [prevout] }
  return isFinalHere(judgeSignature(question, ecc), question, read)
}

const wordsFor = (answer: SignatureAnswer): string =>
  answer.status === 'invalid' ? `${answer.status} ${answer.reason}` : answer.status

const bytesOf = (psbt: string): Uint8Array => Uint8Array.from(Buffer.from(psbt, 'base64'))

/** What wallets make, of both versions. */
const made = (): string[] => [
  ...SCRIPTS.flatMap((script) =>
    [true, false].flatMap((finalised) =>
      ([0, 2] as const).map(
        (psbtVersion) => makeAsk({ script, finalised, psbtVersion, placeholders: 1 }).psbt,
      ),
    ),
  ),
  ...[true, false].map(
    (finalised) =>
      makeBid({ finalised, funding: [{ script: 'p2sh-p2wpkh' }, { script: 'tapscript' }] }).psbt,
  ),
]

describe('PSBTs as Bitcoin Core reads, finalises and judges them', () => {
  test('those of the BIPs, of Core and of wallets', async () => {
    const comparison = new Comparison()
    for (const psbt of [...publishedPsbts(), ...made()]) await comparison.compare(bytesOf(psbt))
    expect(comparison.unlisted()).toEqual([])
    expect(comparison.counts.read).toBeGreaterThan(80)
    expect(comparison.counts.refused).toBeGreaterThan(100)
  })

  test('those that other projects reported, and which of their signatures are valid', async () => {
    const cases = fieldCases('inspect')
    expect(cases).toHaveLength(18)
    const comparison = new Comparison()
    const counts = { VALID: 0, INVALID: 0 }
    for (const { name, input, expected } of cases) {
      await comparison.compare(bytesOf(input.psbt))
      const { signatureStatus: status } = expected
      if (status !== 'VALID' && status !== 'INVALID') continue
      counts[status] += 1
      expect(await isSignedOnCore(input), name).toBe(status === 'VALID')
    }
    expect(comparison.unlisted()).toEqual([])
    expect(counts).toEqual({ VALID: 8, INVALID: 2 })
  })

  test(`${RUNS / 2} asks of generated scripts, with some of their signatures`, async () => {
    const comparison = new Comparison()
    await fc.assert(
      fc.asyncProperty(randomScriptAsk, ({ psbt }) => comparison.compare(bytesOf(psbt))),
      { numRuns: RUNS / 2, seed: SEED },
    )
    expect(comparison.unlisted()).toEqual([])
    expect(comparison.counts.final).toBeGreaterThan(RUNS / 10)
    expect(comparison.counts.notFinal).toBeGreaterThan(RUNS / 20)
  })

  test('scripts that protocols write by hand run to true as they are completed here', async () => {
    for (const kind of ['p2wsh', 'p2sh-p2wsh'] as const) {
      for (const { name, good } of handwrittenAsks(kind)) {
        const question = { psbt: good.psbt, inputIndex: 0, prevouts: [good.prevout] }
        const answer = judgeSignature(question, ecc)
        if (answer.status !== 'ask-node') throw new Error(`${name}: ${answer.status}`)
        expect(await isFinal(answer.psbt, answer.inputIndex), name).toBe(true)
      }
    }
  })

  test('a final witness that Core runs to true, and in which nothing is a signature', async () => {
    const der = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1, 0x83)
    const schnorr = new Uint8Array(65).fill(0x83)
    const dropping = Uint8Array.of(0x75, 0x51)
    const pushing = Uint8Array.of(0x40, ...new Uint8Array(64).fill(0x83))
    const programOf = (script: Uint8Array) =>
      `0020${Buffer.from(crypto.sha256(script)).toString('hex')}`
    const witnesses: [string, Uint8Array[]][] = [
      ['51024e73', [schnorr]],
      [programOf(dropping), [der, dropping]],
      [programOf(pushing), [pushing]],
    ]
    for (const [scriptHex, witness] of witnesses) {
      const ask = makeAsk()
      const psbt = changePsbt(ask.psbt, ({ inputs }) => {
        inputs[0] = [field(0x08, witnessBytes(witness))]
      })
      const prevout = { ...ask.prevout, scriptHex }
      const { unsigned } = readPsbt(bytesOf(psbt), ORDER_LIMITS)
      const scripts = { scriptSig: new Uint8Array(), witness }
      const whole = wholeQuestion(unsigned, 0, scripts, [prevout])
      expect(await isFinal(whole.psbt, 0), scriptHex).toBe(true)
      const answer = judgeSignature({ psbt, inputIndex: 0, prevouts: [prevout] }, ecc)
      expect(answer, scriptHex).toEqual({ status: 'invalid', reason: 'signature_invalid' })
    }
  })

  test(`${RUNS / 4} final tapscripts of all opcodes run to the same end`, async () => {
    const counts = { true: 0, false: 0 }
    for (const { psbt, prevout } of fc.sample(randomTapscript, { numRuns: RUNS / 4, seed: SEED })) {
      const answer = judgeSignature({ psbt, inputIndex: 0, prevouts: [prevout] }, ecc)
      const here = answer.status === 'no-ask' && answer.isValid
      expect(await isFinal(psbt, 0), psbt).toBe(here)
      counts[`${here}`] += 1
    }
    expect(counts.true).toBeGreaterThan(RUNS / 20)
    expect(counts.false).toBeGreaterThan(RUNS / 20)
  })

  test(`${RUNS / 2} PSBTs with fields or bytes changed`, async () => {
    const comparison = new Comparison()
    const asks = fc.sample(randomScriptAsk, { numRuns: 60, seed: SEED })
    const good = [...publishedPsbts(), ...made(), ...asks.map(({ psbt }) => psbt)]
      .map(bytesOf)
      .filter((bytes) => typeof readHere(bytes) !== 'string')
    await fc.assert(
      fc.asyncProperty(mutatedPsbt(good), (bytes) => comparison.compare(bytes)),
      { numRuns: RUNS / 2, seed: SEED },
    )
    expect(comparison.unlisted()).toEqual([])
    expect(comparison.counts.read).toBeGreaterThan(RUNS / 20)
    expect(comparison.counts.refused).toBeGreaterThan(RUNS / 10)
  })
})
