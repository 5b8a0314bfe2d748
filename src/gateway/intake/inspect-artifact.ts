import { PsbtRefused } from '../../domain/psbt/psbt-refused.ts'
import { type Inspected, inspectPsbt } from '../../domain/verdict/inspect.ts'
import { Refusal } from '../refusal.ts'

/**
 * The PSBT of a request, inspected; `field` is the request field that held it.
 *
 * @throws Refusal INVALID_PSBT, PSBT_TOO_LARGE
 */
export function inspectArtifact(field: string, text: string): Inspected {
  try {
    return inspectPsbt(text)
  } catch (cause) {
    if (!(cause instanceof PsbtRefused)) throw cause
    throw new Refusal(cause.code, `${field}: ${cause.message}`, { cause })
  }
}
