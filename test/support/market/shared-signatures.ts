import {
  openSignaturePool,
  type SignaturePool,
} from '../../../src/adapters/embedded/threads/signature-pool.ts'

let pool: SignaturePool | undefined

/**
 * One thread for every service that this process opens, and for as long as it runs: a thread loads
 * the sources anew. That a service closes its own is for the tests that end its process.
 */
export function sharedSignatures(): SignaturePool {
  pool ??= openSignaturePool({ threads: 1 })
  return { ...pool, close: async () => {} }
}
