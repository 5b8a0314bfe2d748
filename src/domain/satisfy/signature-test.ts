import { type Ecc, verifiesEcdsa, verifiesSchnorr } from '../script/ecc.ts'
import {
  type LeafPlace,
  type SignedInput,
  taprootDigest,
  verifiesV0,
} from '../script/script-check.ts'
import { instructionsOf } from '../script/script-instructions.ts'
import { leafHashOf } from '../script/tapscript.ts'
import type { SignatureTest } from './material.ts'
import { isSame } from './script-value.ts'
import type { SpendWay } from './spend-ways.ts'

/**
 * Verifies against the node's prevouts. A digest of unknown prevouts cannot be judged here, and
 * counts as valid, since a node runs the script in the end.
 */
export const verifiedBy =
  (input: SignedInput, ecc: Ecc): SignatureTest =>
  (way, { bytes, read, key, separator }) => {
    const { version, script } = way
    const code = script.subarray(separator)
    if (version === 'witness-v0') return verifiesV0(input, code, bytes, key, ecc)
    if (version === 'base') {
      const { transaction, inputIndex } = input
      const digest = transaction.hashForSignature(inputIndex, code, read.sighash)
      return verifiesEcdsa(ecc, digest, key, read.compact)
    }
    const digest = taprootDigest(input, read.sighash, leafPlace(way, separator))
    if (typeof digest === 'string') return digest === 'unsupported'
    return verifiesSchnorr(ecc, digest, key, read.compact)
  }

/** The place of a check behind the OP_CODESEPARATOR that ends there, bytes; 0: there is none before it. */
export function leafPlace({ script, leafHash }: SpendWay, separator: number): LeafPlace {
  const ends = separator === 0 ? [] : (instructionsOf(script) ?? []).map(({ end }) => end)
  const place = ends.indexOf(separator)
  return { script, hash: leafHash ?? leafHashOf(script), separator: place < 0 ? null : place }
}

/** Takes every signature for one by the key that the PSBT files it under. */
export const asFiled: SignatureTest = ({ signatures }, { bytes, key }) =>
  signatures.some((one) => isSame(one.key, key) && isSame(one.signature, bytes))
