import type { InputSignatures, PsbtInput } from '../psbt/input-signatures.ts'
import { readWitness } from '../psbt/witness.ts'
import { SIGHASH } from '../script/sighash.ts'
import { type CompletionQuestion, completeInput, workFor } from './complete-input.ts'
import { checkedSighashes } from './run-final.ts'

/** The sighashes of an ask's signatures, then of a bid's signatures. */
const KINDS: readonly (readonly number[])[] = [
  [SIGHASH.SINGLE_ANYONECANPAY],
  [SIGHASH.ALL, SIGHASH.DEFAULT],
]

/**
 * May some of these be left out, since they differ in their sighash or cannot be read? A final
 * tapscript may be given data of a signature's length. A finaliser may leave some out, but not where
 * the input names its sighash: "finalizers must fail to finalize inputs which have signatures that
 * do not match" (BIP174, PSBT_IN_SIGHASH_TYPE).
 */
export function areMixed(found: InputSignatures, input: PsbtInput): boolean {
  const { finalScriptSig, finalScriptWitness, sighashType } = input
  if (!found.isSigned) return false
  const areDifferent = new Set(found.sighashes).size > 1
  if (finalScriptWitness) return areDifferent
  if (finalScriptSig !== undefined || sighashType !== undefined) return false
  return !found.isReadable || areDifferent
}

/**
 * The signatures that a final tapscript checks; else the signatures of one kind if they suffice;
 * else all.
 */
export function chosenSignatures(
  found: InputSignatures,
  question: Omit<CompletionQuestion, 'isUsed' | 'work'>,
): InputSignatures {
  const { input, unsigned, inputIndex } = question
  const final = input.finalScriptWitness && readWitness(input.finalScriptWitness)
  if (final) {
    const sighashes = final.kind === 'script-path' && checkedSighashes(final, unsigned, inputIndex)
    return sighashes ? { isSigned: true, isReadable: true, sighashes } : found
  }
  for (const kind of KINDS) {
    const isUsed = (sighash: number) => kind.includes(sighash)
    const sighashes = found.sighashes.filter(isUsed)
    if (sighashes.length === 0) continue
    const work = workFor(KINDS.length)
    const { status } = completeInput({ ...question, isUsed, work }, null)
    if (status === 'complete') return { isSigned: true, isReadable: true, sighashes }
  }
  return found
}
