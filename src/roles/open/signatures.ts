import {
  openSignaturePool,
  type SignaturePool,
} from '../../adapters/embedded/threads/signature-pool.ts'
import type { RuntimeContext } from '../context/runtime-context.ts'

/** The threads of the configuration, closed with the process. */
export function openSignatures({
  config,
  closer,
}: Pick<RuntimeContext, 'config' | 'closer'>): SignaturePool {
  const signatures = openSignaturePool({ threads: config.SIGNATURE_THREADS })
  closer.add(() => signatures.close())
  return signatures
}
