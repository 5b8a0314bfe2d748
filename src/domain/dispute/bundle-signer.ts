import { publicKeyOf, sign } from '../script/schnorr.ts'
import { type BundleSigner, bundleDigest } from './seal-bundle.ts'

/** Null if the bytes are not a private key. They stay in the closure: no property, log or error has them. */
export function openBundleSigner(privateKey: Uint8Array): BundleSigner | null {
  const publicKey = publicKeyOf(privateKey)
  return (
    publicKey && {
      publicKey: Buffer.from(publicKey).toString('hex'),
      sign: (sha256) => Buffer.from(sign(bundleDigest(sha256), privateKey)).toString('hex'),
    }
  )
}
