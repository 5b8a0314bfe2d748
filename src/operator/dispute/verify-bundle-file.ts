import { readFileSync, statSync } from 'node:fs'
import type { BundleFindings } from '../../domain/dispute/findings.ts'
import { LONGEST_BUNDLE, verifyBundle } from '../../domain/dispute/verify-bundle.ts'
import { loadSecp256k1 } from '../../domain/script/secp256k1.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import { encodingFault } from './bundle-encoding.ts'

/** The file cannot be read, or is too large for a bundle. */
export class BundleFileError extends OperatorError {
  override name = 'BundleFileError'
}

/** The key that is to have signed a bundle is not one. */
export class SignerKeyError extends OperatorError {
  override name = 'SignerKeyError'
}

const KEY = /^[0-9a-f]{64}$/i

/**
 * Checks a bundle's file by itself: no configuration, no store, no network. `key` is the public key of
 * the service that must have signed it, x-only in hex; absent: any, or none.
 *
 * @throws BundleFileError @throws SignerKeyError
 */
export async function verifyBundleFile(path: string, key?: string): Promise<BundleFindings> {
  if (key !== undefined && !KEY.test(key))
    throw new SignerKeyError('a key is 64 hex digits: safety.bundleKey of /api/market/protocol')
  const bytes = bytesOf(path)
  const fault = encodingFault(bytes)
  if (fault !== null) return { proved: [], claimed: [], failed: [fault], isSigned: false }
  return verifyBundle(bytes.toString('utf8'), await loadSecp256k1(), key?.toLowerCase())
}

/**
 * `consistent`: nothing in it is false, but any author of a bundle can write one like it, since no
 * key that the reader knows signed it.
 */
export type BundleResult = 'sound' | 'consistent' | 'not sound'

export const resultOf = ({ failed, isSigned }: BundleFindings): BundleResult => {
  if (failed.length > 0) return 'not sound'
  return isSigned ? 'sound' : 'consistent'
}

function bytesOf(path: string): Buffer {
  try {
    const { size } = statSync(path)
    if (size <= LONGEST_BUNDLE) return readFileSync(path)
  } catch (cause) {
    throw new BundleFileError(`the bundle cannot be read: ${whyUnread(path, cause)}`, { cause })
  }
  throw new BundleFileError(`${path} has more than ${LONGEST_BUNDLE} bytes: it is not a bundle`)
}

function whyUnread(path: string, cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause ? cause.code : undefined
  if (code === 'ENOENT') return `there is no file ${path}`
  if (code === 'EISDIR') return `${path} is a folder`
  if (code === 'EACCES') return `the user of this command may not read ${path}`
  return cause.message
}

/** A line for each finding, and one for the result. */
export const findingLines = (findings: BundleFindings): string[] => [
  ...findings.proved.map((fact) => `proved   ${fact}`),
  ...findings.claimed.map((fact) => `claimed  ${fact}`),
  ...findings.failed.map((fact) => `failed   ${fact}`),
  lastLine(findings),
]

function lastLine(findings: BundleFindings): string {
  const { proved, claimed, failed } = findings
  const result = resultOf(findings)
  if (result === 'not sound') return `not sound: ${failed.length} facts do not hold`
  const counts = `${proved.length} facts proved, ${claimed.length} only claimed`
  return result === 'sound'
    ? `sound: ${counts}`
    : `consistent, but signed by no known key: ${counts}`
}
