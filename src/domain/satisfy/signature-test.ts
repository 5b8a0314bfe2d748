import { type Ecc, verifiesEcdsa, verifiesSchnorr } from '../script/ecc.ts'
import { type SignedInput, taprootDigest, verifiesV0 } from '../script/script-check.ts'
import type { SignatureTest } from './material.ts'
import { isSame } from './script-value.ts'

/**
 * Verifies against the node's prevouts. What cannot be judged here counts as valid, since a node
 * runs the script in the end: a digest of unknown prevouts, one after an OP_CODESEPARATOR in
 * tapscript.
 */
export const verifiedBy =
  (input: SignedInput, ecc: Ecc): SignatureTest =>
  ({ version, script, leafHash }, { bytes, read, key, separator }) => {
    const code = script.subarray(separator)
    if (version === 'witness-v0') return verifiesV0(input, code, bytes, key, ecc)
    if (version === 'base') {
      const { transaction, inputIndex } = input
      const digest = transaction.hashForSignature(inputIndex, code, read.sighash)
      return verifiesEcdsa(ecc, digest, key, read.compact)
    }
    if (separator > 0 || !leafHash) return true
    const digest = taprootDigest(input, read.sighash, leafHash)
    if (typeof digest === 'string') return digest === 'unsupported'
    return verifiesSchnorr(ecc, digest, key, read.compact)
  }

/** Takes every signature for one by the key that the PSBT files it under. */
export const asFiled: SignatureTest = ({ signatures }, { bytes, key }) =>
  signatures.some((one) => isSame(one.key, key) && isSame(one.signature, bytes))
