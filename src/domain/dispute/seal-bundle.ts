import { hash } from 'node:crypto'
import type { DisputeBundle, UnsealedBundle } from '../../schemas/dispute/bundle.ts'
import { canonicalJson } from '../json/canonical-json.ts'

/** SHA-256 of the RFC 8785 form of a bundle without its own hash. */
export const bundleHash = (bundle: UnsealedBundle): string => hash('sha256', canonicalJson(bundle))

/** Completes a bundle with its hash. */
export const sealBundle = (bundle: UnsealedBundle): DisputeBundle => ({
  ...bundle,
  sha256: bundleHash(bundle),
})

/** Its canonical text (RFC 8785). */
export const bundleText = (bundle: DisputeBundle): string => canonicalJson(bundle)
