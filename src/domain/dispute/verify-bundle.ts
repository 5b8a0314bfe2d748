import { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import type { Ecc } from '../script/ecc.ts'
import { checkArtifact } from './check-artifact.ts'
import { checkChain } from './check-chain.ts'
import { checkProofs } from './check-proofs.ts'
import { checkBundleSignature } from './check-signature.ts'
import { checkVerdicts } from './check-verdicts.ts'
import { checkWithdrawal } from './check-withdrawal.ts'
import { type BundleFindings, Findings } from './findings.ts'
import { ownerSignature } from './owner-signature.ts'
import { weighOrder } from './proves-order.ts'
import { bundleHash, bundleText } from './seal-bundle.ts'

/** In characters; a bundle of this service is far shorter. */
export const LONGEST_BUNDLE = 16_777_216

/**
 * Checks the text of a bundle by itself: no network, no clock. Anything wrong with it is a finding;
 * it never throws, whatever the text. `knownKey` is the key of the service that must have signed it,
 * x-only in lowercase hex; null: any, or none.
 */
export function verifyBundle(
  text: string,
  ecc: Ecc,
  knownKey: string | null = null,
): BundleFindings {
  const findings = new Findings()
  const bundle = readBundle(text, findings)
  if (!bundle) return findings
  const { sha256, signature: _, ...rest } = bundle
  findings.require(bundleHash(rest) === sha256, `the bundle has its SHA-256, ${sha256}`)
  checkBundleSignature(bundle, ecc, knownKey, findings)
  const owner = ownerSignature(bundle, ecc)
  weighOrder(bundle, owner, findings)
  checkChain(bundle, findings)
  checkArtifact(bundle, owner, ecc, findings)
  checkProofs(bundle, findings)
  checkWithdrawal(bundle, ecc, findings)
  checkVerdicts(bundle, findings)
  return findings
}

/** Null if it is not a bundle of this format; the findings say so. */
function readBundle(text: string, findings: Findings): DisputeBundle | null {
  if (text.length > LONGEST_BUNDLE) {
    findings.failed.push(`not so: a bundle has at most ${LONGEST_BUNDLE} characters`)
    return null
  }
  const value = parsed(text)
  const { data: bundle, error } = DisputeBundle.safeParse(value)
  if (!bundle) {
    const [issue] = error?.issues ?? []
    const place = issue?.path.join('.') ?? ''
    const why = value === undefined ? 'the text is not JSON' : issue?.message
    findings.failed.push(`not a bundle of this format: ${place === '' ? '' : `${place}: `}${why}`)
    return null
  }
  // One newline, which an editor or a shell may add, is not part of the bundle.
  const isCanonical = canonicalText(bundle) === text.replace(/\n$/, '')
  return findings.require(isCanonical, 'the text is canonical JSON (RFC 8785)') ? bundle : null
}

/** Null if it has none: half of a surrogate pair is not text. */
function canonicalText(bundle: DisputeBundle): string | null {
  try {
    return bundleText(bundle)
  } catch {
    return null
  }
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
