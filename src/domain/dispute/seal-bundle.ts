import { hash } from 'node:crypto'
import type { DisputeBundle, UnsealedBundle } from '../../schemas/dispute/bundle.ts'
import { canonicalJson } from '../json/canonical-json.ts'
import { taggedHash } from '../script/tagged-hash.ts'

/** Signs bundles with one key. */
export interface BundleSigner {
  /** x-only (BIP 340), lowercase hex. */
  readonly publicKey: string
  /** BIP 340, lowercase hex; always the same for the same bundle. */
  sign(sha256: string): string
}

/** Nothing else that a key signs has this tag. */
const SIGNED_AS = 'market/dispute'

/** SHA-256 of the RFC 8785 form of a bundle without its own hash and signature. */
export const bundleHash = (bundle: UnsealedBundle): string => hash('sha256', canonicalJson(bundle))

/** What a signature of a bundle with this hash signs (BIP 340, tagged). */
export const bundleDigest = (sha256: string): Uint8Array =>
  taggedHash(SIGNED_AS, Buffer.from(sha256, 'hex'))

/** Completes a bundle with its hash, and with a signature if there is a key. */
export function sealBundle(
  bundle: UnsealedBundle,
  signer: BundleSigner | null = null,
): DisputeBundle {
  const sha256 = bundleHash(bundle)
  if (!signer) return { ...bundle, sha256 }
  const { publicKey } = signer
  return { ...bundle, sha256, signature: { publicKey, signature: signer.sign(sha256) } }
}

/** Its canonical text (RFC 8785). */
export const bundleText = (bundle: DisputeBundle): string => canonicalJson(bundle)
