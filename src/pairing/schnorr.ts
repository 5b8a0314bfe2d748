import { schnorr } from '@noble/curves/secp256k1.js'

/** The same statement always has the same signature: BIP340 is sound without fresh randomness. */
const NO_AUXILIARY_RANDOMNESS = new Uint8Array(32)

/** BIP340, over a digest of 32 bytes. */
export const sign = (digest: Uint8Array, privateKey: Uint8Array): Uint8Array =>
  schnorr.sign(digest, privateKey, NO_AUXILIARY_RANDOMNESS)

/** BIP340. Never throws, whatever the bytes: a point or a scalar out of range verifies nothing. */
export function verifies(
  digest: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return schnorr.verify(signature, digest, publicKey)
  } catch {
    return false
  }
}

/** The x-only public key; null for bytes that are no private key. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array | null {
  try {
    return schnorr.getPublicKey(privateKey)
  } catch {
    return null
  }
}

/** Whether these bytes are the x coordinate of a point. */
export function isPublicKey(publicKey: Uint8Array): boolean {
  try {
    const { lift_x, pointToBytes } = schnorr.utils
    return pointToBytes(lift_x(BigInt(`0x${Buffer.from(publicKey).toString('hex')}`)) ) !== null
  } catch {
    return false
  }
}

/** A new private key. */
export const newPrivateKey = (): Uint8Array => schnorr.utils.randomSecretKey()
