/**
 * What the rules need of a secp256k1 library. `tiny-secp256k1` and `@bitcoinerlab/secp256k1` both
 * fit as they are, so either can be passed in; the tests compare their answers.
 */
export interface Ecc {
  isPoint(point: Uint8Array): boolean
  isXOnlyPoint(point: Uint8Array): boolean
  verify(digest: Uint8Array, key: Uint8Array, signature: Uint8Array, strict?: boolean): boolean
  verifySchnorr(digest: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean
  xOnlyPointAddTweak(
    point: Uint8Array,
    tweak: Uint8Array,
  ): { parity: 0 | 1; xOnlyPubkey: Uint8Array } | null
}

/** ECDSA over a compact signature (r, s), by default low-S only. Never throws, whatever the bytes. */
export const verifiesEcdsa = (
  ecc: Ecc,
  digest: Uint8Array,
  key: Uint8Array,
  signature: Uint8Array,
  isLowS = true,
): boolean => answers(() => ecc.isPoint(key) && ecc.verify(digest, key, signature, isLowS))

/** BIP340 over a 64-byte signature and an x-only key. Never throws, whatever the bytes. */
export const verifiesSchnorr = (
  ecc: Ecc,
  digest: Uint8Array,
  key: Uint8Array,
  signature: Uint8Array,
): boolean =>
  answers(
    () => key.length === 32 && ecc.isXOnlyPoint(key) && ecc.verifySchnorr(digest, key, signature),
  )

// The libraries throw on a scalar or a coordinate out of range: that is an invalid signature, not a
// defect.
function answers(verify: () => boolean): boolean {
  try {
    return verify()
  } catch {
    return false
  }
}
