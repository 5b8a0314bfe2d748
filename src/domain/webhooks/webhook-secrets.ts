import { createHash, hkdfSync } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const SECRET_BYTES = 32
const KEY_ID_DIGITS = 16

/** Distinguishes keys without revealing anything about them. */
export const keyIdOf = (key: Uint8Array): string =>
  createHash('sha256')
    .update('market webhook key')
    .update(key)
    .digest('hex')
    .slice(0, KEY_ID_DIGITS)

/** The secret of an endpoint: derived from the service's key (HKDF, RFC 5869), so never stored. */
export function deriveSecret(
  key: Uint8Array,
  { name, generation, version }: { name: string; generation: number; version: number },
): string {
  const info = `market webhook ${name} ${generation} ${version}`
  const bytes = hkdfSync('sha256', key, '', info, SECRET_BYTES)
  return `whsec_${Buffer.from(bytes).toString('base64')}`
}

/**
 * The headers of Standard Webhooks: a signature by each secret, the current one first.
 *
 * @param at Unix milliseconds: receivers refuse what was signed more than five minutes ago
 */
export function signedHeaders(
  { id, body, at }: { id: string; body: string; at: number },
  secrets: readonly string[],
): Record<string, string> {
  const date = new Date(at)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign(id, date, body)).join(' '),
  }
}
