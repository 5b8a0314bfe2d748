import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../runtime/clock.ts'
import type {
  ConfiguredWebhook,
  WebhookEndpointRecord,
} from '../../schemas/webhooks/webhook-records.ts'
import { endsOf, recordOf } from './manage-webhooks.ts'
import { readWebhooks, recordWebhooks, type Webhook } from './webhook-registry.ts'

/**
 * Brings the recorded endpoints in line with the configuration, without their secrets: new ones
 * start now, changed ones continue, others of an earlier configuration are deleted. An operator's
 * endpoint with the same name is replaced.
 *
 * @throws StorageUnavailableError
 */
export async function recordConfigured(
  { log, clock }: { log: EventLog; clock: Clock },
  configured: readonly ConfiguredWebhook[],
): Promise<void> {
  const known = await readWebhooks(log)
  const now = new Date(clock.now()).toISOString()
  const names = new Set(configured.map(({ name }) => name))
  const gone = [...known.values()].filter(
    ({ name, source, deletedAt }) =>
      source === 'configuration' && deletedAt === null && !names.has(name),
  )
  const from = await endsOf(log)
  const changed = configured.flatMap(({ name, url, filter }): WebhookEndpointRecord[] => {
    const before = known.get(name)
    if (before && isOfConfiguration(before)) {
      const isSame = before.url === url && JSON.stringify(before.filter) === JSON.stringify(filter)
      return isSame ? [] : [recordOf({ ...before, url, filter })]
    }
    const generation = (before?.generation ?? 0) + 1
    const source = 'configuration' as const
    const made = { source, secrets: [], from, createdAt: now, deletedAt: null }
    return [{ schema: 1, kind: 'endpoint', name, generation, url, filter, ...made }]
  })
  const records = [...gone.map((one) => recordOf({ ...one, deletedAt: now })), ...changed]
  if (records.length > 0) await recordWebhooks(log, records)
}

const isOfConfiguration = ({ source, deletedAt }: Webhook): boolean =>
  source === 'configuration' && deletedAt === null
