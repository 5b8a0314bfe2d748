import type { InspectRequest, NostrEvent } from 'psbt-market-client'
import { isTransactionHex, withoutSpace } from '../ui/pasted-bytes.ts'

/**
 * A pasted artifact, by its first characters: JSON is an event, hexadecimal without a PSBT's first
 * bytes is a transaction, anything else is a PSBT.
 * @throws SyntaxError braces without valid JSON
 */
export function artifactOf(given: string): InspectRequest {
  const text = given.trim()
  if (text.startsWith('{')) {
    const event: NostrEvent = JSON.parse(text)
    return { event }
  }
  const bytes = withoutSpace(text)
  return isTransactionHex(bytes) ? { transaction: bytes } : { psbt: bytes }
}
