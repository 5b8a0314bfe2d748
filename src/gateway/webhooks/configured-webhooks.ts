import type { EventLog } from '../../ports/log/event-log.ts'
import type { Clock } from '../../ports/runtime/clock.ts'
import type {
  ConfiguredWebhook,
  WebhookEndpointRecord,
} from '../../schemas/webhooks/webhook-records.ts'
import { endsOf, recordOf } from './manage-webhooks.ts'
import { readWebhooks, recordWebhooks, type Webhook } from './webhook-registry.ts'

/**
 * Makes the endpoints of the configuration those that it names, without their secrets: new ones
 * begin now, changed ones go on, others of an earlier configuration are deleted. One of an operator
 * with the same name gives way.
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
