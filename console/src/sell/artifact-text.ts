import type { InspectRequest, NostrEvent } from 'psbt-market-client'
import { FieldError } from '../ui/forms/faults.ts'
import { isTransactionHex, withoutSpace } from '../ui/forms/pasted-bytes.ts'

/**
 * A pasted artifact, by its first characters: JSON is an event, hexadecimal without a PSBT's first
 * bytes is a transaction, anything else is a PSBT.
 * @throws FieldError braces without valid JSON
 */
export function artifactOf(given: string): InspectRequest {
  const text = given.trim()
  if (text.startsWith('{')) {
    const event = eventIn(text)
    return { event }
  }
  const bytes = withoutSpace(text)
  return isTransactionHex(bytes) ? { transaction: bytes } : { psbt: bytes }
}

function eventIn(text: string): NostrEvent {
  try {
    return JSON.parse(text)
  } catch {
    throw new FieldError('psbt', 'It begins as an event, and is not valid JSON.')
  }
}
