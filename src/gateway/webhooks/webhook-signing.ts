import { deriveSecret, keyIdOf } from '../../domain/webhooks/webhook-secrets.ts'
import type { ConfiguredWebhook } from '../../schemas/webhooks/webhook-records.ts'
import type { Webhook } from './webhook-registry.ts'

/** What secrets are derived or read from; none of it is stored with the endpoints. */
export interface WebhookSecrets {
  /** WEBHOOK_KEY: new secrets are derived from the first. Empty if none is configured. */
  keys: readonly Uint8Array[]
  /** The secrets of the endpoints of the configuration, by name. */
  configured: ReadonlyMap<string, ConfiguredWebhook['secrets']>
}

/**
 * The secrets that sign at this time, the current one first. Null if this process does not have
 * them, because its WEBHOOK_KEY or WEBHOOK_ENDPOINTS differs from the one that the endpoint was
 * made with.
 */
export function secretsOf(
  webhook: Webhook,
  { keys, configured }: WebhookSecrets,
  now: number,
): readonly string[] | null {
  if (webhook.source === 'configuration') return configured.get(webhook.name) ?? null
  const secrets = validSecrets(webhook, now).map((secret) => {
    const key = keys.find((one) => keyIdOf(one) === secret.key)
    return key ? deriveSecret(key, { ...webhook, version: secret.version }) : null
  })
  const [current, ...others] = secrets
  // Without the key of the previous secret the current one is enough.
  return current ? [current, ...others.filter((one) => one !== null)] : null
}

export const validSecrets = ({ secrets }: Webhook, now: number): Webhook['secrets'] =>
  secrets.filter(({ until }) => until === null || Date.parse(until) > now)
