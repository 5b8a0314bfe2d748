import { crypto, type Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { ORDER_LIMITS } from '../psbt/psbt-limits.ts'
import { decodePsbtText } from '../psbt/psbt-text.ts'
import { type ReadPsbt, reopenPsbt } from '../psbt/read-psbt.ts'
import { witnessForm } from '../psbt/witness.ts'
import { type Completion, completeInput, workFor } from '../satisfy/complete-input.ts'
import { runTapscript, runTapscriptAs, signedness } from '../satisfy/run-final.ts'
import { ANCHOR } from '../script/address.ts'
import { type Ecc, verifiesSchnorr } from '../script/ecc.ts'
import type { FinalScripts } from '../script/final-scripts.ts'
import { isStandardInput } from '../script/input-standard.ts'
import { isWitnessProgram } from '../script/relay.ts'
import { checkInput, type SignedInput, taprootDigest } from '../script/script-check.ts'
import { bytesOf, hexOf, nestedProgram, P2SH, P2TR } from '../script/script-template.ts'
import { SIGHASH } from '../script/sighash.ts'
import { isStandardWitness } from '../script/witness-standard.ts'
import { classify } from './classify.ts'
import { type NodeQuestion, reducedQuestion, wholeQuestion } from './node-question.ts'
import { factsOf, type PsbtFacts } from './psbt-facts.ts'

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
  /**
   * An ask's only by its form: what is signed is all inputs and outputs. `isValid`: so they are
   * signed; else a prevout that the signature commits to is unknown.
   */
  | { status: 'no-ask'; isValid: boolean }
  /** No authority can say: a prevout is unknown, or the PSBT lacks what its script needs. */
  | { status: 'unverifiable' }
  /** It can be completed in more ways than are tried. */
  | { status: 'beyond-bound' }
  /**
   * A script that is not judged locally: `psbt` is the authorisation reduced for `analyzepsbt`,
   * with the node's utxo. It is invalid for its `flaw` even if the script runs to true.
   */
  | ({ status: 'ask-node'; flaw: Flaw | null } & NodeQuestion)

export type InvalidSignatureReason =
  | 'signature_invalid'
  /** A 64-byte taproot signature made for 0x83: valid if its byte were appended. */
  | 'sighash_byte_missing_recoverable'
  /** By the node's prevout the offered output is not segwit. */
  | 'legacy_input'
  | Flaw

/** Why nodes refuse what an ask's owner has signed; a bid may have it without being signed. */
type Flaw =
  /** The witness spends a program inside P2SH, whose scriptSig is missing: anyone can add it. */
  | 'script_sig_missing'
  /** No node relays a witness of this form, or of a bid's input its output or scriptSig. */
  | 'witness_not_standard'

/**
 * Judges the signature of one input against the node's prevouts; those in the PSBT are ignored.
 * Partial signatures are judged by the cheapest completion of their PSBT that they make valid.
 *
 * @throws PsbtRefusedError for text that is not an order's wrapper
 */
export function judgeSignature(question: SignatureQuestion, ecc: Ecc): SignatureAnswer {
  const { inputIndex, prevouts } = question
  const read = reopenPsbt(decodePsbtText(question.psbt, ORDER_LIMITS.bytes), ORDER_LIMITS)
  const facts = factsOf(read)
  const prevout = prevouts[inputIndex]
  if (!facts.inputs[inputIndex]?.signatures.isSigned) return { status: 'none' }
  if (!prevout) return { status: 'unverifiable' }
  // Anyone spends it, whatever the witness: nothing in it is a signature.
  if (prevout.scriptHex === ANCHOR) return invalid('signature_invalid')
  const { orderClass, sellerIndex, reasons } = classify(facts)
  const isAsk = orderClass === 'ASK_ANYONECANPAY' && sellerIndex === inputIndex
  if (isAsk && isLegacyOutput(prevout)) return invalid('legacy_input')
  const completion = completionOf(read, facts, inputIndex, prevouts, ecc)
  if (completion.status !== 'complete') return incomplete(completion.status)

  const scripts = isAsk ? withProgram(prevout, completion.scripts) : completion.scripts
  if (!scripts) return invalid('legacy_input')
  const transaction = withScripts(read.unsigned, inputIndex, scripts)
  const signed = { transaction, inputIndex, prevouts }
  const isBids = orderClass === 'BID_FULLY_FUNDED'
  const isRelayed = !isBids || isStandardInput(prevout.scriptHex, scripts.scriptSig)
  const isFlawed = !isRelayed || isUnrelayed(prevout, scripts)
  if (!isAsk) {
    return isFlawed ? invalid('witness_not_standard') : judgeCommitted(signed, scripts, ecc)
  }
  const unrelayed = isFlawed ? 'witness_not_standard' : null
  const flaw: Flaw | null = scripts === completion.scripts ? unrelayed : 'script_sig_missing'
  const ask = { signed, scripts, prevout, flaw }
  return reasons.includes('sighash_default') ? judgeDefault(ask, ecc) : judgeAsk(ask, ecc)
}

/**
 * The final scripts of a signed input, by the signatures that make it the order it is: the same for
 * a verdict and for a purchase.
 */
export function completionOf(
  { psbt, maps, unsigned }: ReadPsbt,
  { inputs }: PsbtFacts,
  inputIndex: number,
  prevouts: SignatureQuestion['prevouts'],
  ecc: Ecc | null,
): Completion {
  const input = psbt.data.inputs[inputIndex] ?? {}
  const sighashes = inputs[inputIndex]?.signatures.sighashes ?? []
  const isUsed = (sighash: number) => sighashes.includes(sighash)
  const map = maps.inputs[inputIndex] ?? []
  const open = psbt.data.inputs.filter(
    ({ finalScriptSig, finalScriptWitness }, at) =>
      inputs[at]?.signatures.isSigned && !finalScriptSig && !finalScriptWitness,
  )
  const work = workFor(open.length)
  return completeInput({ input, map, unsigned, inputIndex, prevouts, isUsed, work }, ecc)
}

/**
 * The final scripts with which a purchase spends a signed input; null if its PSBT cannot be
 * completed.
 *
 * @throws PsbtRefusedError for text that is not an order's wrapper
 */
export function completeSigned(question: SignatureQuestion, ecc: Ecc): FinalScripts | null {
  const read = reopenPsbt(decodePsbtText(question.psbt, ORDER_LIMITS.bytes), ORDER_LIMITS)
  const { inputIndex, prevouts } = question
  const completion = completionOf(read, factsOf(read), inputIndex, prevouts, ecc)
  return completion.status === 'complete' ? completion.scripts : null
}

function incomplete(status: Exclude<Completion['status'], 'complete'>): SignatureAnswer {
  if (status === 'unsatisfied') return invalid('signature_invalid')
  return { status: status === 'beyond-bound' ? status : 'unverifiable' }
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
  const unsigned = unsignedAnswer(signed, scripts)
  if (unsigned) return unsigned
  const { transaction, inputIndex } = signed
  const prevouts = transaction.ins.flatMap((_, at) => signed.prevouts[at] ?? [])
  return prevouts.length < transaction.ins.length
    ? { status: 'unverifiable' }
    : {
        status: 'ask-node',
        flaw: null,
        ...wholeQuestion(transaction, inputIndex, scripts, prevouts),
      }
}

/** What only looks like a signature made it an order: the node would run its script to true. */
function unsignedAnswer(signed: SignedInput, scripts: FinalScripts): SignatureAnswer | null {
  const end = signedness(signed, scripts)
  if (end === 'unsigned') return invalid('signature_invalid')
  return end === 'beyond-bound' ? { status: end } : null
}

/** Signatures before BIP143 bind the index of their input: no buyer could complete such an ask. */
const isLegacyOutput = ({ scriptHex }: TxOut): boolean =>
  !isWitnessProgram(scriptHex) && !P2SH.test(scriptHex)

/**
 * An ask inside P2SH must push a witness program, and nothing else: the scripts with the push of their
 * own program where there is none. Null: it is of another kind.
 */
function withProgram({ scriptHex }: TxOut, scripts: FinalScripts): FinalScripts | null {
  const [, scriptHash] = P2SH.exec(scriptHex) ?? []
  if (scriptHash === undefined || nestedProgram(scripts.scriptSig) !== null) return scripts
  if (scripts.scriptSig.length > 0) return null
  const program = programsOf(scripts)
    .map(bytesOf)
    .find((bytes) => hexOf(crypto.hash160(bytes)) === scriptHash)
  return program ? { ...scripts, scriptSig: Uint8Array.of(program.length, ...program) } : null
}

/** The programs that a witness of version 0 may be of: of its key, or of its script. */
function programsOf({ witness }: FinalScripts): string[] {
  const last = witness.at(-1)
  if (!last) return []
  return [`0014${hexOf(crypto.hash160(last))}`, `0020${hexOf(crypto.sha256(last))}`]
}

const isUnrelayed = ({ scriptHex }: TxOut, { scriptSig, witness }: FinalScripts): boolean =>
  witness.length > 0 && !isStandardWitness(witness, scriptHex, scriptSig)

interface SignedAsk {
  signed: SignedInput
  scripts: FinalScripts
  prevout: TxOut
  flaw: Flaw | null
}

/**
 * An ask that nodes do not relay as it is may still be its owner's: a miner may take it, and anyone can
 * change a high S. So the owner's signature is judged by consensus, and the flaw is named.
 */
function judgeAsk({ signed, scripts, prevout, flaw }: SignedAsk, ecc: Ecc): SignatureAnswer {
  if (!flaw && checkInput(signed, ecc) === 'valid') return { status: 'valid' }
  const verdict = checkInput(signed, ecc, 'consensus')
  if (verdict === 'valid') return invalid(flaw ?? 'witness_not_standard')
  if (verdict === 'invalid') return answerOf(verdict)
  const unsigned = unsignedAnswer(signed, scripts)
  if (unsigned) return unsigned
  const { transaction, inputIndex } = signed
  return {
    status: 'ask-node',
    flaw,
    ...reducedQuestion(transaction, inputIndex, scripts, prevout),
  }
}

/**
 * An ask with a 64-byte taproot signature. As published it is SIGHASH_DEFAULT, and no completion is
 * valid; if it verifies as 0x83 anyone can append the byte and buy. Only reported, never repaired.
 */
function judgeDefault({ signed, scripts, prevout, flaw }: SignedAsk, ecc: Ecc): SignatureAnswer {
  if (verifiesAsAsk(signed, scripts, prevout, ecc)) {
    return invalid(flaw ?? 'sighash_byte_missing_recoverable')
  }
  const checked = checkInput(signed, ecc)
  const asEncoded = checked === 'unsupported' ? runTapscript(signed, scripts, ecc) : checked
  if (asEncoded === 'invalid') return invalid('signature_invalid')
  return { status: 'no-ask', isValid: asEncoded === 'valid' }
}

function verifiesAsAsk(
  signed: SignedInput,
  scripts: FinalScripts,
  { scriptHex }: TxOut,
  ecc: Ecc,
): boolean {
  const form = witnessForm(scripts.witness)
  if (form?.kind === 'script-path') {
    return runTapscriptAs(SIGHASH.SINGLE_ANYONECANPAY, signed, scripts, ecc) === 'valid'
  }
  const [, outputKey] = P2TR.exec(scriptHex) ?? []
  if (outputKey === undefined || form?.kind !== 'key-path') return false
  const digest = taprootDigest(signed, SIGHASH.SINGLE_ANYONECANPAY)
  return (
    digest instanceof Uint8Array && verifiesSchnorr(ecc, digest, bytesOf(outputKey), form.signature)
  )
}
