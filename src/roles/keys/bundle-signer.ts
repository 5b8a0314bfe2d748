import { openBundleSigner } from '../../domain/dispute/bundle-signer.ts'
import type { BundleSigner } from '../../domain/dispute/seal-bundle.ts'
import { OperatorError } from '../../ports/base-errors.ts'
import type { Config } from '../../schemas/config/config.ts'
import { createdKey, storedKey } from './stored-key.ts'

const FILE = 'bundle.key'

/** BUNDLE_KEY, or the file in DATA_DIR, holds no key. */
export class BundleKeyError extends OperatorError {
  override name = 'BundleKeyError'
}

type BundleKeySettings = Pick<Config, 'BUNDLE_KEY' | 'DATA_DIR' | 'ROLE'>

/**
 * Signs bundles with BUNDLE_KEY, or with a key kept in DATA_DIR, generated once. Null for roles that
 * would have to share that key: their bundles are not signed.
 */
export function bundleSigner({
  BUNDLE_KEY,
  DATA_DIR,
  ROLE,
}: BundleKeySettings): BundleSigner | null {
  if (BUNDLE_KEY) return signerOf(Buffer.from(BUNDLE_KEY, 'hex'))
  return ROLE === 'all' ? signerOf(createdKey(DATA_DIR, FILE)) : null
}

/** The signer of a command, which generates no key. */
export function existingBundleSigner(config: BundleKeySettings): BundleSigner | null {
  if (config.BUNDLE_KEY) return bundleSigner(config)
  const key = storedKey(config.DATA_DIR, FILE)
  return key && signerOf(key)
}

function signerOf(privateKey: Uint8Array): BundleSigner {
  const signer = openBundleSigner(privateKey)
  if (!signer)
    throw new BundleKeyError('BUNDLE_KEY is not a private key of secp256k1: make another')
  return signer
}
