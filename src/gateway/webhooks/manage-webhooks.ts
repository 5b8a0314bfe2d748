import { lastTried, timeAfter } from '../../domain/webhooks/retry-rules.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import type { WebhookKey, WebhookProgress } from '../../ports/webhooks/webhook-progress.ts'
import type { NameLookup } from '../../ports/webhooks/webhook-transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { KeyTier } from '../../schemas/customers/key-records.ts'
import { TOPICS } from '../../schemas/log.ts'
import type {
  DeadDeliveries,
  WebhookList,
  WebhookView,
} from '../../schemas/webhooks/webhook-api.ts'
import type { WebhookEndpointRecord } from '../../schemas/webhooks/webhook-records.ts'
import type { Gateway } from '../gateway.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { RefusalError } from '../refusal.ts'
import { readWebhooks, recordWebhooks, type Webhook } from './webhook-registry.ts'
import { validSecrets } from './webhook-signing.ts'

/** What the operators' use cases need. */
export interface WebhookOffice {
  log: Pick<EventLog, 'partitions' | 'append' | 'stored' | 'end'>
  progress: WebhookProgress
  clock: Clock
  settings: Gateway['settings']
  /** WEBHOOK_KEY; empty if none is configured: then no secret can be derived. */
  keys: readonly Uint8Array[]
  /** Endpoints on this machine are allowed. */
  loopback: boolean
  lookUp: NameLookup
  /** The tier of the customer with a key of this name; null: there is none. Absent: no customers. */
  tierOf?: (customer: string) => Pick<KeyTier, 'name' | 'webhooks'> | null
}

/** @throws StorageUnavailableError */
export async function listWebhooks(office: WebhookOffice): Promise<WebhookList> {
  const webhooks = [...(await readWebhooks(office.log)).values()].filter(isThere)
  const views = webhooks.map((webhook) => viewOf(office, webhook))
  return { webhooks: await Promise.all(views) }
}

/** @throws RefusalError NOT_FOUND */
export async function pauseWebhook(
  office: WebhookOffice,
  name: string,
  isPaused: boolean,
): Promise<WebhookView> {
  const { generation } = await findWebhook(office, name)
  const at = await timeOfAsking(office, { name, generation })
  await recordWebhooks(office.log, [
    { schema: 1, kind: 'pause', name, generation, isPaused, why: 'operator', at },
  ])
  return await viewOf(office, await findWebhook(office, name))
}

/**
 * Sends the dead letters once more, and retries failing changes at once.
 *
 * @throws RefusalError NOT_FOUND
 */
export async function retryWebhook(office: WebhookOffice, name: string): Promise<WebhookView> {
  const { generation } = await findWebhook(office, name)
  const at = await timeOfAsking(office, { name, generation })
  await recordWebhooks(office.log, [{ schema: 1, kind: 'retry', name, generation, at }])
  return await viewOf(office, await findWebhook(office, name))
}

/** Later than every attempt that an operator can see now, whatever the clock of its sender says. */
async function timeOfAsking(
  { progress, clock }: WebhookOffice,
  webhook: WebhookKey,
): Promise<string> {
  return timeAfter(lastTried((await progress.read(webhook)).values()), clock.now())
}

/**
 * Deletes the endpoint; returns it as it was.
 *
 * @throws RefusalError NOT_FOUND, VALIDATION_FAILED (of the configuration)
 */
export function deleteWebhook(office: WebhookOffice, name: string): Promise<WebhookView> {
  return oneAtATime(office.log, async () => {
    const webhook = await ownWebhook(office, name)
    const view = await viewOf(office, webhook)
    await changeWebhook(office, recordOf({ ...webhook, deletedAt: timeOf(office.clock) }))
    return view
  })
}

/**
 * Records the changed endpoint, and returns what the log holds then; null: another process has
 * deleted it, or made another of its name, before that. The last record under a key is the one that
 * a compaction keeps: it must be that one's.
 */
export async function changeWebhook(
  { log }: Pick<WebhookOffice, 'log'>,
  changed: WebhookEndpointRecord,
): Promise<Webhook | null> {
  await recordWebhooks(log, [changed])
  const held = (await readWebhooks(log)).get(changed.name)
  const isGone = held?.deletedAt !== null && changed.deletedAt === null
  if (held?.generation === changed.generation && !isGone) return held
  if (held) await recordWebhooks(log, [recordOf(held)])
  return null
}

/** @throws RefusalError NOT_FOUND */
export async function listDeadDeliveries(
  office: WebhookOffice,
  name: string,
): Promise<DeadDeliveries> {
  const deliveries = await office.progress.read(await findWebhook(office, name))
  const deadLetters = [...deliveries.values()].flatMap(({ dead }) => dead)
  return { deadLetters: deadLetters.sort((a, b) => (a.at < b.at ? -1 : 1)) }
}

/** The endpoint's own record, without what later records say about it. */
export function recordOf(webhook: Webhook): WebhookEndpointRecord {
  const { paused: _paused, askedAt: _askedAt, retryAt: _retryAt, ...endpoint } = webhook
  return { schema: 1, kind: 'endpoint', ...endpoint }
}

export const isThere = ({ deletedAt }: Webhook): boolean => deletedAt === null

async function findWebhook({ log }: WebhookOffice, name: string): Promise<Webhook> {
  const webhook = (await readWebhooks(log)).get(name)
  if (webhook && isThere(webhook)) return webhook
  throw new RefusalError('NOT_FOUND', 'no webhook has this name')
}

export async function ownWebhook(office: WebhookOffice, name: string): Promise<Webhook> {
  const webhook = await findWebhook(office, name)
  if (webhook.source === 'operator') return webhook
  throw new RefusalError('VALIDATION_FAILED', `name: ${name} is changed in WEBHOOK_ENDPOINTS`)
}

export async function viewOf(
  { log, progress, clock }: WebhookOffice,
  webhook: Webhook,
): Promise<WebhookView> {
  const [deliveries, ends] = await Promise.all([progress.read(webhook), endsOf(log)])
  const { name, url, filter, source, customer = null, createdAt, paused } = webhook
  const nextOf = (partition: number) =>
    deliveries.get(partition)?.next ?? webhook.from[partition] ?? 0
  const failing = [...deliveries.values()].flatMap((delivery) => delivery.failing ?? [])
  const byAttempt = failing.sort((a, b) => (a.lastAt < b.lastAt ? -1 : 1))
  return {
    ...{ name, url, filter, source, customer, createdAt, paused },
    secrets: source === 'operator' ? validSecrets(webhook, clock.now()).length : null,
    secretVersion: webhook.secrets[0]?.version ?? null,
    lag: ends.reduce((sum, end, partition) => sum + Math.max(0, end - nextOf(partition)), 0),
    failingSince: failing.map(({ since }) => since).sort()[0] ?? null,
    failure: byAttempt.at(-1)?.reason ?? null,
    dead: [...deliveries.values()].reduce((sum, { dead }) => sum + dead.length, 0),
  }
}

export const endsOf = (log: Pick<EventLog, 'partitions' | 'end'>): Promise<number[]> =>
  Promise.all(
    Array.from({ length: log.partitions }, (_, partition) => log.end(TOPICS.lifecycle, partition)),
  )

export const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()
