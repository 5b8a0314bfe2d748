import { KeyRecord } from '../../schemas/customers/key-records.ts'
import { TOPICS, type Topic } from '../../schemas/log.ts'
import { WebhookRecord } from '../../schemas/webhooks/webhook-records.ts'

interface Keyed {
  key: string | null
  value: unknown
}

export const WITHHELD = 'withheld'
const NOTHING: Keyed = { key: null, value: WITHHELD }

/**
 * A record without what may help to act as a customer or an endpoint: hashes of keys, and what secrets
 * are derived from. Of these topics, nothing is shown that this release cannot read.
 */
export function withoutSecrets(topic: Topic, record: Keyed): Keyed {
  const { key, value } = record
  if (topic === TOPICS.keys) {
    const { data } = KeyRecord.safeParse(value)
    if (data?.kind === 'key') return { key, value: data }
    return data ? { key: null, value: { ...data, sha256: WITHHELD } } : NOTHING
  }
  if (topic === TOPICS.webhooks) {
    const { data } = WebhookRecord.safeParse(value)
    if (!data) return NOTHING
    if (data.kind !== 'endpoint') return { key, value: data }
    const secrets = data.secrets.map(({ version, until }) => ({ version, until }))
    // What follows the host may be a secret of its receiver.
    const url = URL.canParse(data.url) ? new URL(data.url).origin : WITHHELD
    return { key, value: { ...data, url, secrets } }
  }
  return { key, value }
}
