import type { InputSignatures, PsbtInput } from '../../psbt/input-signatures.ts'
import { SIGHASH } from '../sighash.ts'
import { type CompletionQuestion, completeInput, workFor } from './complete-input.ts'

/** The sighashes of an ask's signatures, then those of a bid's. */
const KINDS: readonly (readonly number[])[] = [
  [SIGHASH.SINGLE_ANYONECANPAY],
  [SIGHASH.ALL, SIGHASH.DEFAULT],
]

/**
 * May a finaliser leave some of these out, since they differ in their sighash or cannot be read? Not
 * where the input names its sighash: "finalizers must fail to finalize inputs which have signatures
 * that do not match" (BIP174, PSBT_IN_SIGHASH_TYPE).
 */
export function areMixed(found: InputSignatures, input: PsbtInput): boolean {
  const { finalScriptSig, finalScriptWitness, sighashType } = input
  const isFixed = finalScriptSig ?? finalScriptWitness ?? sighashType
  if (!found.isSigned || isFixed !== undefined) return false
  return !found.isReadable || new Set(found.sighashes).size > 1
}

/** Those of one kind if they suffice; else all. */
export function chosenSignatures(
  found: InputSignatures,
  question: Omit<CompletionQuestion, 'isUsed' | 'work'>,
): InputSignatures {
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
