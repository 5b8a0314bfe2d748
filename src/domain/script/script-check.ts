import { crypto, payments, type Transaction } from 'bitcoinjs-lib'
import type { TxOut } from '../../schemas/scalars.ts'
import { type Ecc, verifiesEcdsa, verifiesSchnorr } from './ecc.ts'
import {
  bytesOf,
  hexOf,
  nestedProgram,
  P2SH,
  P2TR,
  P2WPKH,
  P2WSH,
  readMultisig,
} from './script-template.ts'
import { ecdsaSignature, isAnyoneCanPay, isSingle, taprootSignature } from './sighash.ts'

/** `unsupported`: a script, or a missing prevout, that only a full node can judge. */
export type ScriptVerdict = 'valid' | 'invalid' | 'unsupported'

export interface SignedInput {
  /** With the final witness and scriptSig of the input in place. */
  transaction: Transaction
  inputIndex: number
  /**
   * By input index. Only a taproot signature without ANYONECANPAY needs the prevouts of other
   * inputs.
   */
  prevouts: readonly (TxOut | null)[]
}

const ANNEX_TAG = 0x50

/**
 * Would a node relay this input? Consensus (BIP143, BIP341) and standardness: strict DER, low S,
 * compressed keys, NULLDUMMY, a clean stack, no annex. Covers the P2TR key path, P2WPKH and P2WSH
 * multisig, and the latter two inside P2SH.
 */
export function checkInput(input: SignedInput, ecc: Ecc): ScriptVerdict {
  const { transaction, inputIndex, prevouts } = input
  const signed = transaction.ins[inputIndex]
  const prevout = prevouts[inputIndex]
  if (!signed) return 'invalid'
  if (!prevout) return 'unsupported'
  const [, scriptHash] = P2SH.exec(prevout.scriptHex) ?? []
  if (scriptHash === undefined) {
    const verdict = checkProgram(input, prevout.scriptHex, signed.witness, ecc)
    return verdict !== 'unsupported' && signed.script.length > 0 ? 'invalid' : verdict
  }
  const program = nestedProgram(signed.script)
  if (program === null) return 'unsupported'
  if (hexOf(crypto.hash160(bytesOf(program))) !== scriptHash) return 'invalid'
  return checkProgram(input, program, signed.witness, ecc)
}

type Witness = readonly Uint8Array[]

function checkProgram(input: SignedInput, program: string, witness: Witness, ecc: Ecc) {
  const [, outputKey] = P2TR.exec(program) ?? []
  if (outputKey !== undefined) return checkTaproot(input, outputKey, witness, ecc)
  const [, keyHash] = P2WPKH.exec(program) ?? []
  if (keyHash !== undefined) return checkKeyHash(input, keyHash, witness, ecc)
  const [, scriptHash] = P2WSH.exec(program) ?? []
  if (scriptHash !== undefined) return checkScriptHash(input, scriptHash, witness, ecc)
  return 'unsupported'
}

function checkTaproot(input: SignedInput, outputKey: string, witness: Witness, ecc: Ecc) {
  const [bytes] = witness
  if (!bytes) return 'invalid'
  // Core relays no annex (policy, IsWitnessStandard), even one that is signed for.
  if (witness.length > 1 && witness.at(-1)?.[0] === ANNEX_TAG) return 'invalid'
  if (witness.length > 1) return 'unsupported'
  const signature = taprootSignature(bytes)
  if (!signature) return 'invalid'
  const digest = taprootDigest(input, signature.sighash)
  if (digest === 'unsupported' || digest === 'invalid') return digest
  const verifies = verifiesSchnorr(ecc, digest, bytesOf(outputKey), signature.compact)
  return verifies ? 'valid' : 'invalid'
}

/**
 * The digest that a taproot signature signs (BIP341; with a leaf hash BIP342): `invalid` if SINGLE
 * has no output beside its input, `unsupported` if a prevout that it commits to is unknown.
 */
export function taprootDigest(
  { transaction, inputIndex, prevouts }: SignedInput,
  sighash: number,
  leafHash?: Uint8Array,
): Uint8Array | 'invalid' | 'unsupported' {
  if (isSingle(sighash) && inputIndex >= transaction.outs.length) return 'invalid'
  const known = transaction.ins.map((_, at) => prevouts[at] ?? null)
  if (known.includes(null) && !(isAnyoneCanPay(sighash) && known[inputIndex])) return 'unsupported'
  return transaction.hashForWitnessV1(
    inputIndex,
    known.map((prevout) => bytesOf(prevout?.scriptHex ?? '')),
    known.map((prevout) => BigInt(prevout?.valueSats ?? 0)),
    sighash,
    leafHash,
  )
}

function checkKeyHash(input: SignedInput, keyHash: string, witness: Witness, ecc: Ecc) {
  const [signature, key] = witness
  if (!signature || !key || witness.length !== 2 || key.length !== 33) return 'invalid'
  if (hexOf(crypto.hash160(key)) !== keyHash) return 'invalid'
  const { output } = payments.p2pkh({ hash: bytesOf(keyHash) })
  return output && verifiesV0(input, output, signature, key, ecc) ? 'valid' : 'invalid'
}

function checkScriptHash(input: SignedInput, scriptHash: string, witness: Witness, ecc: Ecc) {
  const script = witness.at(-1)
  if (!script || hexOf(crypto.sha256(script)) !== scriptHash) return 'invalid'
  const multisig = readMultisig(script)
  if (!multisig) return 'unsupported'
  const [dummy, ...signatures] = witness.slice(0, -1)
  if (dummy?.length !== 0 || signatures.length !== multisig.required) return 'invalid'
  // BIP11: signatures are in the order of their keys, so each key is tried once.
  let next = 0
  const all = signatures.every((signature) => {
    const key = multisig.keys.findIndex(
      (key, at) => at >= next && verifiesV0(input, script, signature, key, ecc),
    )
    next = key + 1
    return key >= 0
  })
  return all ? 'valid' : 'invalid'
}

/** Does this signature, sighash byte included, verify for a witness v0 script (BIP143)? */
export function verifiesV0(
  { transaction, inputIndex, prevouts }: SignedInput,
  scriptCode: Uint8Array,
  bytes: Uint8Array,
  key: Uint8Array,
  ecc: Ecc,
): boolean {
  const signature = ecdsaSignature(bytes)
  const prevout = prevouts[inputIndex]
  if (!signature || !prevout) return false
  const { compact, sighash } = signature
  const value = BigInt(prevout.valueSats)
  const digest = transaction.hashForWitnessV0(inputIndex, scriptCode, value, sighash)
  return verifiesEcdsa(ecc, digest, key, compact)
}
