import type { Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import type { PsbtInput } from '../psbt/input-signatures.ts'
import type { Pair } from '../psbt/key-value-maps.ts'
import { readWitness } from '../psbt/witness.ts'
import { type Ecc, verifiesSchnorr } from '../script/ecc.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { taprootDigest } from '../script/script-check.ts'
import { bytesOf, P2TR } from '../script/script-template.ts'
import { taprootSignature } from '../script/sighash.ts'
import { commitsToLeaf } from '../script/tapscript.ts'
import { cheapestRun } from './cheapest-run.ts'
import { machineFor, type SignatureTest } from './material.ts'
import { EMPTY } from './script-value.ts'
import { asFiled, verifiedBy } from './signature-test.ts'
import { type SpendWay, spendWays } from './spend-ways.ts'

/** Scripts that are tried for an input, cheapest first. */
export const MAX_WAYS = 64
/** Work for an input, and for all inputs of a PSBT; an instruction costs 1. */
const MAX_WORK = { input: 10_000, psbt: 32_000 } as const

/** What may be done for one of so many inputs that must be completed. */
export const workFor = (inputs: number): number =>
  Math.min(MAX_WORK.input, Math.floor(MAX_WORK.psbt / Math.max(inputs, 1)))

export interface CompletionQuestion {
  input: PsbtInput
  /** The fields of the input, for those that the parsers do not read. */
  map: readonly Pair[]
  unsigned: Transaction
  inputIndex: number
  /** By input index; null where unknown. */
  prevouts: readonly (TxOut | null)[]
  /** The sighashes of the signatures that may be used: an ask's are all 0x83. */
  isUsed: (sighash: number) => boolean
  /** How much may be done: each script gets an equal part of what is left. */
  work: number
}

export type Completion =
  | { status: 'complete'; scripts: FinalScripts }
  /** The PSBT names no script that the output commits to. */
  | { status: 'fields-missing' }
  /** No choice of its signatures and preimages satisfies any of its scripts. */
  | { status: 'unsatisfied' }
  /** A script has an opcode that is not followed here. */
  | { status: 'unknown' }
  | { status: 'beyond-bound' }

/**
 * The finaliser of BIP174: the final scripts that an input has, or the cheapest that its fields can
 * be completed to with signatures that verify. If none of them does, those that its signatures
 * would give if they verified, so that a check of them gives the reason.
 */
export function completeInput(question: CompletionQuestion, ecc: Ecc | null): Completion {
  const { input, inputIndex, prevouts, unsigned } = question
  const own = finalScripts(input)
  if (own) return { status: 'complete', scripts: own }
  const filed = () => cheapestCompletion(question, asFiled, null)
  if (!ecc) return filed()
  const signed = { transaction: unsigned, inputIndex, prevouts }
  const found = cheapestCompletion(question, verifiedBy(signed, ecc), ecc)
  if (found.status !== 'unsatisfied') return found
  const unverified = filed()
  return unverified.status === 'complete' ? unverified : found
}

function finalScripts({ finalScriptWitness, finalScriptSig }: PsbtInput): FinalScripts | null {
  if (!finalScriptWitness && !finalScriptSig) return null
  const witness = finalScriptWitness ? readWitness(finalScriptWitness)?.items : []
  return { scriptSig: finalScriptSig ?? EMPTY, witness: witness ?? [] }
}

function cheapestCompletion(
  question: CompletionQuestion,
  test: SignatureTest,
  ecc: Ecc | null,
): Completion {
  const prevout = question.prevouts[question.inputIndex]
  if (!prevout) return { status: 'fields-missing' }
  const keyPath = keySpend(question, prevout, ecc)
  if (keyPath) return { status: 'complete', scripts: keyPath }
  const ways = spendWays(question.input, prevout.scriptHex)
    .filter((way) => !ecc || isCommittedTo(way, prevout, ecc))
    .toSorted((one, other) => one.overhead - other.overhead)
  const isKeySigned = question.input.tapKeySig !== undefined
  if (ways.length === 0) return { status: isKeySigned ? 'unsatisfied' : 'fields-missing' }
  return cheapestOf(ways, question, test)
}

function cheapestOf(
  ways: readonly SpendWay[],
  { input, map, unsigned, inputIndex, isUsed, work }: CompletionQuestion,
  test: SignatureTest,
): Completion {
  const { version, locktime, ins } = unsigned
  const transaction = { version, locktime, sequence: ins[inputIndex]?.sequence ?? 0 }
  let left = work
  let cheapest: { scripts: FinalScripts; bytes: number } | null = null
  let others: Exclude<Completion['status'], 'complete'> =
    ways.length > MAX_WAYS ? 'beyond-bound' : 'unsatisfied'
  const tried = ways.slice(0, MAX_WAYS)
  for (const [at, way] of tried.entries()) {
    if (cheapest && way.overhead >= cheapest.bytes) break
    const given = Math.ceil(left / (tried.length - at))
    const budget = { work: given }
    const takesLongKeys = test === asFiled && isKeyHash(way)
    const parts = { way, input, map, transaction, isUsed, test, budget, takesLongKeys }
    const machine = machineFor(parts)
    if (!machine) continue
    const found = cheapestRun(machine)
    left -= given - Math.max(budget.work, 0)
    if (found.status === 'beyond-bound') others = 'beyond-bound'
    if (found.status === 'none' && machine.isUnknown && others === 'unsatisfied') others = 'unknown'
    if (found.status !== 'found') continue
    const bytes = found.cost + way.overhead
    if (!cheapest || bytes < cheapest.bytes) {
      cheapest = { scripts: way.scriptsFor(found.items), bytes }
    }
  }
  return cheapest ? { status: 'complete', scripts: cheapest.scripts } : { status: others }
}

/** P2WPKH: its signature is checked by consensus too, without a node, which would not run it. */
const isKeyHash = ({ version, overhead }: SpendWay): boolean =>
  version === 'witness-v0' && overhead === 0

/** A signature by the output key is cheaper than any leaf. */
function keySpend(
  { input, unsigned, inputIndex, prevouts, isUsed }: CompletionQuestion,
  { scriptHex }: TxOut,
  ecc: Ecc | null,
): FinalScripts | null {
  const [, outputKey] = P2TR.exec(scriptHex) ?? []
  const { tapKeySig } = input
  const signature = tapKeySig && taprootSignature(tapKeySig)
  if (outputKey === undefined || !signature || !isUsed(signature.sighash)) return null
  const scripts = { scriptSig: EMPTY, witness: [tapKeySig] }
  if (!ecc) return scripts
  const signed = { transaction: unsigned, inputIndex, prevouts }
  const digest = taprootDigest(signed, signature.sighash)
  if (typeof digest === 'string') return digest === 'unsupported' ? scripts : null
  return verifiesSchnorr(ecc, digest, bytesOf(outputKey), signature.compact) ? scripts : null
}

function isCommittedTo(way: SpendWay, { scriptHex }: TxOut, ecc: Ecc): boolean {
  if (way.version !== 'tapscript') return true
  const [, outputKey] = P2TR.exec(scriptHex) ?? []
  const control = way.scriptsFor([]).witness.at(-1)
  if (outputKey === undefined || !way.leafHash || !control) return false
  return commitsToLeaf(bytesOf(outputKey), way.leafHash, control, ecc)
}
