import { schnorr } from '@noble/curves/secp256k1.js'
import { signSchnorr } from 'tiny-secp256k1'

/** The same statement always gets the same signature: BIP340 is secure without fresh randomness. */
const NO_AUXILIARY_RANDOMNESS = new Uint8Array(32)

/** BIP340 over a 32-byte digest, by libsecp256k1, in constant time. */
export const sign = (digest: Uint8Array, privateKey: Uint8Array): Uint8Array =>
  signSchnorr(digest, privateKey, NO_AUXILIARY_RANDOMNESS)

/** BIP340. Never throws, whatever the bytes: a point or scalar out of range is just invalid. */
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

/** The x-only public key; null if the bytes are not a private key. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array | null {
  try {
    return schnorr.getPublicKey(privateKey)
  } catch {
    return null
  }
}

/** Whether these 32 bytes are the x coordinate of a point. */
export function isPublicKey(publicKey: Uint8Array): boolean {
  try {
    schnorr.utils.lift_x(BigInt(`0x${Buffer.from(publicKey).toString('hex')}`))
    return publicKey.length === 32
  } catch {
    return false
  }
}

/** A new private key. */
export const newPrivateKey = (): Uint8Array => schnorr.utils.randomSecretKey()
