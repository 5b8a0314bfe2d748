import { PsbtRefusedError } from '../psbt/psbt-refused.ts'
import { type Inspected, inspectPsbt } from './inspect.ts'

/** A refusal is data, so that it can be passed between threads. */
export type ArtifactReading =
  | { status: 'read'; inspected: Inspected }
  | { status: 'refused'; code: PsbtRefusedError['code']; message: string }

/** `inspectPsbt`, for any text. */
export function inspectText(text: string): ArtifactReading {
  try {
    return { status: 'read', inspected: inspectPsbt(text) }
  } catch (cause) {
    if (!(cause instanceof PsbtRefusedError)) throw cause
    return { status: 'refused', code: cause.code, message: cause.message }
  }
}
