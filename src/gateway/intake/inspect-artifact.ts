import { PsbtRefusedError } from '../../domain/psbt/psbt-refused.ts'
import { type Inspected, inspectPsbt } from '../../domain/verdict/inspect.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The PSBT of a request, inspected; `field` is the request field that held it.
 *
 * @throws RefusalError INVALID_PSBT, PSBT_TOO_LARGE
 */
export function inspectArtifact(field: string, text: string): Inspected {
  try {
    return inspectPsbt(text)
  } catch (cause) {
    if (!(cause instanceof PsbtRefusedError)) throw cause
    throw new RefusalError(cause.code, `${field}: ${cause.message}`, { cause })
  }
}
