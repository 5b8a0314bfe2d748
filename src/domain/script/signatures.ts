import type { Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { factsOf } from '../psbt/psbt-facts.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { decodePsbtText } from '../psbt/psbt-text.ts'
import { reopenPsbt } from '../psbt/read-psbt.ts'
import { witnessForm } from '../psbt/witness.ts'
import { classify } from '../verdict/classify.ts'
import { type NodeQuestion, reducedQuestion, wholeQuestion } from '../verdict/node-question.ts'
import { type Ecc, verifiesSchnorr } from './ecc.ts'
import { type FinalScripts, finalScriptsOf, keysIn } from './final-scripts.ts'
import { isWitnessProgram } from './relay.ts'
import { checkInput, type SignedInput, taprootDigest } from './script-check.ts'
import { bytesOf, nestedProgram, P2SH, P2TR } from './script-template.ts'
import { SIGHASH, taprootSignature } from './sighash.ts'
import { commitsToLeaf, leafHashOf } from './tapscript.ts'

export interface SignatureQuestion {
  /** Base64 of the wrapper. */
  psbt: string
  inputIndex: number
  /** The node's prevouts by input index; null where not needed (ANYONECANPAY). */
  prevouts: readonly (TxOut | null)[]
}

export type SignatureAnswer =
  | { status: 'valid' }
  | { status: 'invalid'; reason: InvalidSignatureReason }
  /** No signature on this input. */
  | { status: 'none' }
  /** No authority can say: a prevout is unknown, or the PSBT lacks what its script needs. */
  | { status: 'unverifiable' }
  /**
   * A script that is not judged locally: `psbt` is the authorisation reduced for `analyzepsbt`,
   * with the node's utxo.
   */
  | ({ status: 'ask-node' } & NodeQuestion)

export type InvalidSignatureReason =
  | 'signature_invalid'
  /** A 64-byte taproot signature made for 0x83: valid if its byte were appended. */
  | 'sighash_byte_missing_recoverable'
  /** An ask with a valid signature over all inputs and outputs. */
  | 'sighash_not_single_anyonecanpay'
  /** By the node's prevout the offered output is not segwit. */
  | 'legacy_input'

/**
 * Judges the signature of one input against the node's prevouts; those in the PSBT are ignored.
 * Partial signatures are judged in their finalised form.
 *
 * @throws PsbtRefusedError for text that is not an order's wrapper
 */
export function judgeSignature(question: SignatureQuestion, ecc: Ecc): SignatureAnswer {
  const { inputIndex, prevouts } = question
  const read = reopenPsbt(decodePsbtText(question.psbt, ORDER_LIMITS.bytes), ORDER_LIMITS)
  const facts = factsOf(read)
  const input = read.psbt.data.inputs[inputIndex]
  const prevout = prevouts[inputIndex]
  if (!input || !facts.inputs[inputIndex]?.signatures.isSigned) return { status: 'none' }
  if (!prevout) return { status: 'unverifiable' }
  const scripts = finalScriptsOf(input, prevout.scriptHex)
  if (!scripts) return { status: 'unverifiable' }

  const transaction = withScripts(read.unsigned, inputIndex, scripts)
  const signed = { transaction, inputIndex, prevouts }
  const { orderClass, sellerIndex, reasons } = classify(facts)
  if (orderClass !== 'ASK_ANYONECANPAY' || sellerIndex !== inputIndex) {
    return judgeCommitted(signed, scripts, ecc)
  }
  if (isLegacy(prevout, scripts)) return invalid('legacy_input')
  if (reasons.includes('sighash_default')) return judgeDefault(signed, scripts, prevout, ecc)
  const verdict = checkInput(signed, ecc)
  return verdict === 'unsupported'
    ? { status: 'ask-node', ...reducedQuestion(transaction, inputIndex, scripts, prevout) }
    : answerOf(verdict)
}

const invalid = (reason: InvalidSignatureReason): SignatureAnswer => ({ status: 'invalid', reason })

const answerOf = (verdict: 'valid' | 'invalid'): SignatureAnswer =>
  verdict === 'valid' ? { status: 'valid' } : invalid('signature_invalid')

function withScripts(unsigned: Transaction, at: number, scripts: FinalScripts): Transaction {
  const transaction = unsigned.clone()
  transaction.setWitness(at, scripts.witness)
  transaction.setInputScript(at, scripts.scriptSig)
  return transaction
}

/** A signature that is not an ask's, such as a bidder's: it may commit to all inputs and outputs. */
function judgeCommitted(signed: SignedInput, scripts: FinalScripts, ecc: Ecc): SignatureAnswer {
  const verdict = checkInput(signed, ecc)
  if (verdict !== 'unsupported') return answerOf(verdict)
  const { transaction, inputIndex } = signed
  const prevouts = transaction.ins.flatMap((_, at) => signed.prevouts[at] ?? [])
  return prevouts.length < transaction.ins.length
    ? { status: 'unverifiable' }
    : { status: 'ask-node', ...wholeQuestion(transaction, inputIndex, scripts, prevouts) }
}

/** Signatures before BIP143 bind the index of their input: no buyer could complete such an ask. */
const isLegacy = ({ scriptHex }: TxOut, { scriptSig }: FinalScripts): boolean =>
  !isWitnessProgram(scriptHex) && !(P2SH.test(scriptHex) && nestedProgram(scriptSig) !== null)

/**
 * An ask with a 64-byte taproot signature. As published it is SIGHASH_DEFAULT, and no completion is
 * valid; if it verifies as 0x83 anyone can append the byte and buy. Only reported, never repaired.
 */
function judgeDefault(signed: SignedInput, scripts: FinalScripts, prevout: TxOut, ecc: Ecc) {
  if (verifiesAsAsk(signed, scripts, prevout, ecc)) {
    return invalid('sighash_byte_missing_recoverable')
  }
  const asEncoded = checkInput(signed, ecc)
  return invalid(asEncoded === 'invalid' ? 'signature_invalid' : 'sighash_not_single_anyonecanpay')
}

function verifiesAsAsk(
  signed: SignedInput,
  { witness }: FinalScripts,
  { scriptHex }: TxOut,
  ecc: Ecc,
): boolean {
  const [, outputKey] = P2TR.exec(scriptHex) ?? []
  const form = witnessForm(witness)
  if (outputKey === undefined || !form) return false
  if (form.kind === 'key-path') {
    const digest = taprootDigest(signed, SIGHASH.SINGLE_ANYONECANPAY)
    return verifiesByOneOf([bytesOf(outputKey)], digest, form.signature, ecc)
  }
  if (form.kind === 'witness-v0') return false
  const leafHash = leafHashOf(form.script)
  if (!commitsToLeaf(bytesOf(outputKey), leafHash, form.control, ecc)) return false
  const digest = taprootDigest(signed, SIGHASH.SINGLE_ANYONECANPAY, leafHash)
  const keys = keysIn(form.script)
  const signatures = form.stack.filter(taprootSignature)
  return (
    signatures.length > 0 &&
    signatures.every((signature) => verifiesByOneOf(keys, digest, signature, ecc))
  )
}

const verifiesByOneOf = (
  keys: readonly Uint8Array[],
  digest: ReturnType<typeof taprootDigest>,
  signature: Uint8Array,
  ecc: Ecc,
): boolean =>
  typeof digest !== 'string' && keys.some((key) => verifiesSchnorr(ecc, digest, key, signature))
