import { crypto, type Transaction } from 'bitcoinjs-lib'
import type { Ecc } from '../script/ecc.ts'
import { checkInput } from '../script/script-check.ts'
import { bytesOf, hexOf, P2SH, P2TR } from '../script/script-template.ts'
import { ecdsaSignature, SIGHASH, taprootSignature } from '../script/sighash.ts'
import { type ForNode, forNode } from './for-node.ts'
import { type Proof, readProof } from './read-proof.ts'
import { differenceFromToSign, toSign, toSpend } from './virtual-transactions.ts'

export interface ProofQuestion {
  message: string
  /** The output script whose owner must sign. */
  scriptHex: string
  /** The proof as submitted: base64, with or without the prefix of version 2.0.0. */
  proof: string
}

/**
 * The three results of BIP-322; `inconclusive`: cannot be judged here. `ask-node`: the script is
 * unknown to these checks; valid if the node says that the input is final.
 */
export type ProofAnswer = { status: 'valid' } | ForNode

/** BIP-322's upgradeable rules: the defined versions of `to_sign`. */
const VERSIONS: ReadonlySet<number> = new Set([0, 2])

const invalid = (reason: string): ProofAnswer => ({ status: 'invalid', reason })
const inconclusive = (reason: string): ProofAnswer => ({ status: 'inconclusive', reason })

/**
 * Judges a BIP-322 proof, simple or full, by the script checks that orders are judged by: strict DER,
 * low S, a clean stack, SIGHASH_ALL only (or DEFAULT for taproot). Never throws, whatever the text.
 */
export function judgeProof({ message, scriptHex, proof }: ProofQuestion, ecc: Ecc): ProofAnswer {
  const read = readProof(proof)
  if ('reason' in read) return invalid(read.reason)
  const spent = toSpend(message, scriptHex)
  const signed = signedBy(read.proof, spent, scriptHex)
  return 'status' in signed ? signed : judgeSigned(signed, scriptHex, ecc)
}

/** `to_sign` with the proof in place, or why there is none to judge. */
function signedBy(proof: Proof, spent: Transaction, scriptHex: string): Transaction | ProofAnswer {
  if (proof.format === 'proof-of-funds') {
    return inconclusive('unsupported: a proof of funds; sign a simple or a full proof')
  }
  if (proof.format === 'simple') {
    const transaction = toSign(spent)
    transaction.setWitness(0, proof.witness)
    transaction.setInputScript(0, nestedScriptSig(scriptHex, proof.witness))
    return transaction
  }
  const { transaction } = proof
  const difference = differenceFromToSign(transaction, spent)
  if (difference !== null) return invalid(difference)
  if (transaction.ins.length > 1) {
    return inconclusive('unsupported: a proof with more than the one required input')
  }
  if (!VERSIONS.has(transaction.version)) {
    return inconclusive('unsupported: the version of the transaction is neither 0 nor 2')
  }
  // Its locktime and sequence may be anything: they bind no script known to these checks.
  return transaction
}

/**
 * The scriptSig that a simple proof omits: for a script nested in P2SH the witness determines it,
 * as the push of the one program that hashes to the address.
 */
function nestedScriptSig(scriptHex: string, witness: readonly Uint8Array[]): Uint8Array {
  const [, scriptHash] = P2SH.exec(scriptHex) ?? []
  const last = witness.at(-1)
  if (scriptHash === undefined || !last) return new Uint8Array()
  const programs = [`0014${hexOf(crypto.hash160(last))}`, `0020${hexOf(crypto.sha256(last))}`]
  const program = programs.find((hex) => hexOf(crypto.hash160(bytesOf(hex))) === scriptHash)
  return program === undefined
    ? new Uint8Array()
    : Uint8Array.from([program.length / 2, ...bytesOf(program)])
}

function judgeSigned(transaction: Transaction, scriptHex: string, ecc: Ecc): ProofAnswer {
  const [input] = transaction.ins
  if (!input) return invalid('the transaction has no input')
  const prevout = { valueSats: '0', scriptHex }
  switch (checkInput({ transaction, inputIndex: 0, prevouts: [prevout] }, ecc)) {
    case 'unsupported':
      return isNestedNowhere(scriptHex, input.script)
        ? invalid('the proof is not for the script of this address')
        : forNode(transaction, prevout)
    case 'invalid':
      return invalid('the signature is not valid for this message and address')
    case 'valid':
      return signsAll(scriptHex, input.witness)
        ? { status: 'valid' }
        : invalid('every signature must be SIGHASH_ALL, or DEFAULT for taproot')
  }
}

/** A simple proof for a P2SH script whose key or script does not hash to it. */
const isNestedNowhere = (scriptHex: string, scriptSig: Uint8Array): boolean =>
  P2SH.test(scriptHex) && scriptSig.length === 0

/** For a witness that verifies: its last item is the key or script, an empty one no signature. */
function signsAll(scriptHex: string, witness: readonly Uint8Array[]): boolean {
  if (P2TR.test(scriptHex)) {
    const sighash = witness[0] && taprootSignature(witness[0])?.sighash
    return sighash === SIGHASH.DEFAULT || sighash === SIGHASH.ALL
  }
  return witness
    .slice(0, -1)
    .filter((item) => item.length > 0)
    .every((signature) => ecdsaSignature(signature)?.sighash === SIGHASH.ALL)
}
