import type { CircleSnapshot } from 'psbt-market-client'
import { canonicalJson } from '../../../src/domain/json/canonical-json.ts'

/**
 * SHA-256 of a snapshot's canonical bytes (RFC 8785), as the service computes it, hex; null for a page
 * that is neither local nor over HTTPS, where a browser has no cryptography.
 */
export async function stateHashOf(snapshot: CircleSnapshot): Promise<string | null> {
  if (!isSecureContext) return null
  const bytes = new TextEncoder().encode(canonicalJson(snapshot))
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
