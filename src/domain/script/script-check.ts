import { Transaction as ScureTransaction } from '@scure/btc-signer'
import { crypto, payments, type Transaction } from 'bitcoinjs-lib'
import { LEAF_VERSION_TAPSCRIPT } from 'bitcoinjs-lib/src/payments/bip341'
import type { TxOut } from '../../schemas/scalars.ts'
import { ANY_CONTENT } from './any-content.ts'
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

/** What every node relays, or what any miner may take. */
export type ScriptRules = 'relay' | 'consensus'

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

/** Where in a tapscript a signature is checked. */
export interface LeafPlace {
  script: Uint8Array
  hash: Uint8Array
  /** The last executed OP_CODESEPARATOR, by its place among the instructions; null: none was. */
  separator: number | null
}

const ANNEX_TAG = 0x50
const COMPRESSED_KEY_BYTES = 33
const KEY_BYTES = 65

/**
 * Would a node relay this input? Consensus (BIP143, BIP341: strict DER, NULLDUMMY, a clean stack) and
 * standardness: low S, compressed keys, no annex; or is it valid by consensus alone? Covers the P2TR
 * key path, P2WPKH and P2WSH multisig, and the latter two inside P2SH.
 */
export function checkInput(
  input: SignedInput,
  ecc: Ecc,
  rules: ScriptRules = 'relay',
): ScriptVerdict {
  const { transaction, inputIndex, prevouts } = input
  const signed = transaction.ins[inputIndex]
  const prevout = prevouts[inputIndex]
  if (!signed) return 'invalid'
  if (!prevout) return 'unsupported'
  const [, scriptHash] = P2SH.exec(prevout.scriptHex) ?? []
  if (scriptHash === undefined) {
    const verdict = checkProgram(input, prevout.scriptHex, signed.witness, ecc, rules)
    return verdict !== 'unsupported' && signed.script.length > 0 ? 'invalid' : verdict
  }
  const program = nestedProgram(signed.script)
  if (program === null) return 'unsupported'
  if (hexOf(crypto.hash160(bytesOf(program))) !== scriptHash) return 'invalid'
  return checkProgram(input, program, signed.witness, ecc, rules)
}

type Witness = readonly Uint8Array[]

function checkProgram(
  input: SignedInput,
  program: string,
  witness: Witness,
  ecc: Ecc,
  rules: ScriptRules,
) {
  const [, outputKey] = P2TR.exec(program) ?? []
  if (outputKey !== undefined) return checkTaproot(input, outputKey, witness, ecc, rules)
  const [, keyHash] = P2WPKH.exec(program) ?? []
  if (keyHash !== undefined) return checkKeyHash(input, keyHash, witness, ecc, rules)
  const [, scriptHash] = P2WSH.exec(program) ?? []
  if (scriptHash !== undefined) return checkScriptHash(input, scriptHash, witness, ecc, rules)
  return 'unsupported'
}

/** BIP341: the last of several items, by its first byte. */
const annexOf = (witness: Witness): Uint8Array | undefined =>
  witness.length > 1 && witness.at(-1)?.[0] === ANNEX_TAG ? witness.at(-1) : undefined

function checkTaproot(
  input: SignedInput,
  outputKey: string,
  witness: Witness,
  ecc: Ecc,
  rules: ScriptRules,
) {
  const [bytes] = witness
  if (!bytes) return 'invalid'
  const annex = annexOf(witness)
  // Core relays no annex (policy, IsWitnessStandard), even one that is signed for.
  if (annex && rules === 'relay') return 'invalid'
  if (witness.length > (annex ? 2 : 1)) return 'unsupported'
  const signature = taprootSignature(bytes)
  if (!signature) return 'invalid'
  const digest = taprootDigest(input, signature.sighash)
  if (digest === 'unsupported' || digest === 'invalid') return digest
  const verifies = verifiesSchnorr(ecc, digest, bytesOf(outputKey), signature.compact)
  return verifies ? 'valid' : 'invalid'
}

/**
 * The digest that a taproot signature signs (BIP341; in a tapscript BIP342): `invalid` if SINGLE has
 * no output beside its input, `unsupported` if a prevout that it commits to is unknown.
 */
export function taprootDigest(
  { transaction, inputIndex, prevouts }: SignedInput,
  sighash: number,
  leaf?: LeafPlace,
): Uint8Array | 'invalid' | 'unsupported' {
  const signed = transaction.ins[inputIndex]
  if (!signed || (isSingle(sighash) && inputIndex >= transaction.outs.length)) return 'invalid'
  const known = transaction.ins.map((_, at) => prevouts[at] ?? null)
  if (known.includes(null) && !(isAnyoneCanPay(sighash) && known[inputIndex])) return 'unsupported'
  const scripts = known.map((prevout) => bytesOf(prevout?.scriptHex ?? ''))
  const values = known.map((prevout) => BigInt(prevout?.valueSats ?? 0))
  const annex = annexOf(signed.witness)
  if (!leaf || leaf.separator === null)
    return transaction.hashForWitnessV1(inputIndex, scripts, values, sighash, leaf?.hash, annex)
  const { script, separator } = leaf
  return ScureTransaction.fromRaw(transaction.toBuffer(), ANY_CONTENT).preimageWitnessV1(
    inputIndex,
    scripts,
    sighash,
    values,
    separator,
    script,
    LEAF_VERSION_TAPSCRIPT,
    annex,
  )
}

function checkKeyHash(
  input: SignedInput,
  keyHash: string,
  witness: Witness,
  ecc: Ecc,
  rules: ScriptRules,
) {
  const [signature, key] = witness
  if (!signature || !key || witness.length !== 2) return 'invalid'
  const isUncompressed = rules === 'consensus' && key.length === KEY_BYTES
  if (key.length !== COMPRESSED_KEY_BYTES && !isUncompressed) return 'invalid'
  if (hexOf(crypto.hash160(key)) !== keyHash) return 'invalid'
  const { output } = payments.p2pkh({ hash: bytesOf(keyHash) })
  return output && verifiesV0(input, output, signature, key, ecc, rules) ? 'valid' : 'invalid'
}

function checkScriptHash(
  input: SignedInput,
  scriptHash: string,
  witness: Witness,
  ecc: Ecc,
  rules: ScriptRules,
) {
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
      (key, at) => at >= next && verifiesV0(input, script, signature, key, ecc, rules),
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
  rules: ScriptRules = 'relay',
): boolean {
  const signature = ecdsaSignature(bytes)
  const prevout = prevouts[inputIndex]
  if (!signature || !prevout) return false
  const { compact, sighash } = signature
  const value = BigInt(prevout.valueSats)
  const digest = transaction.hashForWitnessV0(inputIndex, scriptCode, value, sighash)
  return verifiesEcdsa(ecc, digest, key, compact, rules === 'relay')
}
