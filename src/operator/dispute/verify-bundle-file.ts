import { readFileSync, statSync } from 'node:fs'
import { encodingFault } from '../../domain/dispute/bundle-encoding.ts'
import type { BundleFindings } from '../../domain/dispute/findings.ts'
import { LONGEST_BUNDLE, verifyBundle } from '../../domain/dispute/verify-bundle.ts'
import { loadSecp256k1 } from '../../domain/script/secp256k1.ts'
import { OperatorError } from '../../ports/runtime/base-errors.ts'

/** The file cannot be read, or is too large for a bundle. */
export class BundleFileError extends OperatorError {
  override name = 'BundleFileError'
}

/**
 * Checks a bundle's file by itself: no configuration, no store, no network.
 *
 * @throws BundleFileError
 */
export async function verifyBundleFile(path: string): Promise<BundleFindings> {
  const bytes = bytesOf(path)
  const fault = encodingFault(bytes)
  if (fault !== null) return { proved: [], claimed: [], failed: [fault] }
  return verifyBundle(bytes.toString('utf8'), await loadSecp256k1())
}

function bytesOf(path: string): Buffer {
  try {
    const { size } = statSync(path)
    if (size <= LONGEST_BUNDLE) return readFileSync(path)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new BundleFileError(`the bundle cannot be read: ${why}`, { cause })
  }
  throw new BundleFileError(`${path} has more than ${LONGEST_BUNDLE} bytes: it is not a bundle`)
}

/** A line for each finding, and one for the result. */
export const findingLines = ({ proved, claimed, failed }: BundleFindings): string[] => [
  ...proved.map((fact) => `proved   ${fact}`),
  ...claimed.map((fact) => `claimed  ${fact}`),
  ...failed.map((fact) => `failed   ${fact}`),
  failed.length === 0
    ? `sound: ${proved.length} facts proved, ${claimed.length} only claimed`
    : `not sound: ${failed.length} facts do not hold`,
]
