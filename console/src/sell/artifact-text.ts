import type { InspectRequest, NostrEvent } from 'market-client'

const HEX = /^(?:[0-9a-f]{2})+$/i
const PSBT_MAGIC_HEX = '70736274'

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
  const bytes = text.replace(/\s+/g, '')
  const isTransaction = HEX.test(bytes) && !bytes.toLowerCase().startsWith(PSBT_MAGIC_HEX)
  return isTransaction ? { transaction: bytes } : { psbt: bytes }
}
