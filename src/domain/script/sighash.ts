import { script as bitcoinScript } from 'bitcoinjs-lib'

/** Sighash flags (BIP143, BIP341). */
export const SIGHASH = {
  DEFAULT: 0x00,
  ALL: 0x01,
  NONE: 0x02,
  SINGLE: 0x03,
  ANYONECANPAY: 0x80,
  /** An ask: the seller's input and the output at its index, nothing else. */
  SINGLE_ANYONECANPAY: 0x83,
} as const

const OUTPUTS = 0x03
const TAPROOT_SIGNATURE_BYTES = 64

/** A signature without the byte that says what it commits to. */
export interface Signature {
  /** 64 bytes: ECDSA (r, s), or BIP340. */
  compact: Uint8Array
  sighash: number
}

/** Does a signature with this sighash commit to one input only? */
export const isAnyoneCanPay = (sighash: number): boolean => (sighash & SIGHASH.ANYONECANPAY) !== 0

/** Does it commit only to the output at its own index? */
export const isSingle = (sighash: number): boolean => (sighash & OUTPUTS) === SIGHASH.SINGLE

/** BIP341: no other byte may follow a taproot signature, and 00 must be left out. */
const isDefined = (sighash: number): boolean => {
  const outputs = sighash & ~SIGHASH.ANYONECANPAY
  return outputs >= SIGHASH.ALL && outputs <= SIGHASH.SINGLE
}

/** Reads a taproot signature: 64 bytes mean SIGHASH_DEFAULT, a 65th names another; else null. */
export function taprootSignature(bytes: Uint8Array): Signature | null {
  const compact = bytes.subarray(0, TAPROOT_SIGNATURE_BYTES)
  if (bytes.length === TAPROOT_SIGNATURE_BYTES) return { compact, sighash: SIGHASH.DEFAULT }
  const sighash = bytes[TAPROOT_SIGNATURE_BYTES]
  if (bytes.length !== TAPROOT_SIGNATURE_BYTES + 1 || sighash === undefined) return null
  return isDefined(sighash) ? { compact, sighash } : null
}

/** Reads an ECDSA signature of strict DER (BIP66) with its sighash byte; null for anything else. */
export function ecdsaSignature(bytes: Uint8Array): Signature | null {
  if (!bitcoinScript.isCanonicalScriptSignature(bytes)) return null
  try {
    const { signature, hashType } = bitcoinScript.signature.decode(bytes)
    return { compact: signature, sighash: hashType }
  } catch {
    // DER lets r and s be longer than the curve's order: no such signature verifies.
    return null
  }
}
