import type { DisputeBundle } from '../../schemas/dispute/bundle.ts'
import { type Ecc, verifiesSchnorr } from '../script/ecc.ts'
import type { Findings } from './findings.ts'
import { bundleDigest } from './seal-bundle.ts'

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')

/**
 * Checks who made the bundle. Without a key that the verifier brings, a signature says only that some
 * key made it: anyone has one.
 */
export function checkBundleSignature(
  { sha256, signature: signed }: DisputeBundle,
  ecc: Ecc,
  knownKey: string | null,
  findings: Findings,
): void {
  if (!signed) {
    if (knownKey !== null) findings.failed.push(`not so: key ${knownKey} signed the bundle`)
    else findings.claimed.push('who made the bundle: it is not signed')
    return
  }
  const { publicKey, signature } = signed
  const fact = `key ${publicKey} signed the bundle`
  const holds = verifiesSchnorr(ecc, bundleDigest(sha256), bytesOf(publicKey), bytesOf(signature))
  if (!findings.expect(holds, fact)) return
  if (knownKey === null) findings.claimed.push(`${fact}: whose key it is, is not in the file`)
  else if (findings.require(publicKey === knownKey, `key ${knownKey} signed the bundle`))
    findings.isSigned = true
}
