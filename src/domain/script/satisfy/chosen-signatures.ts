import type { InputSignatures } from '../../psbt/input-signatures.ts'
import { SIGHASH } from '../sighash.ts'
import { type CompletionQuestion, completeInput } from './complete-input.ts'

/** The sighashes of an ask's signatures, then those of a bid's. */
const KINDS: readonly (readonly number[])[] = [
  [SIGHASH.SINGLE_ANYONECANPAY],
  [SIGHASH.ALL, SIGHASH.DEFAULT],
]

/**
 * Of signatures that differ in their sighash, or of which some cannot be read, those of one kind
 * if they suffice: a finaliser need not use the others.
 */
export function chosenSignatures(
  found: InputSignatures,
  question: Omit<CompletionQuestion, 'isUsed'>,
): InputSignatures {
  const { finalScriptSig, finalScriptWitness } = question.input
  const isUniform = found.isReadable && new Set(found.sighashes).size < 2
  if (!found.isSigned || isUniform || finalScriptSig || finalScriptWitness) return found
  for (const kind of KINDS) {
    const isUsed = (sighash: number) => kind.includes(sighash)
    const sighashes = found.sighashes.filter(isUsed)
    if (sighashes.length === 0) continue
    const { status } = completeInput({ ...question, isUsed }, null)
    if (status === 'complete') return { isSigned: true, isReadable: true, sighashes }
  }
  return found
}
