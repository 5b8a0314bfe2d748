import type { EventLog, Stored } from '../../ports/log/event-log.ts'
import { TOPICS } from '../../schemas/log.ts'
import {
  type WebhookEndpointRecord,
  type WebhookPauseRecord,
  WebhookRecord,
  type WebhookRetryRecord,
} from '../../schemas/webhooks/webhook-records.ts'
import { followRegistry, REGISTRY_PARTITION, readRegistry } from '../follow-registry.ts'

/** An endpoint, with the last records about it. */
export interface Webhook extends Omit<WebhookEndpointRecord, 'kind' | 'schema'> {
  paused: WebhookPauseRecord['why'] | null
  /** When an operator last asked to send what failed again, or resumed it. */
  askedAt: string | null
  /** Dead letters of an earlier time are sent again. */
  retryAt: string | null
}

type Registered = ReadonlyMap<string, Webhook>

/** All endpoints by name, including deleted ones. */
export async function readWebhooks(log: Pick<EventLog, 'stored'>): Promise<Registered> {
  return (await readRegistry(log, TOPICS.webhooks, new WebhookFold())).webhooks
}

/** Emits the endpoints now and after each change, until the signal aborts. */
export const followWebhooks = (
  log: Pick<EventLog, 'stored' | 'read'>,
  show: (webhooks: Registered) => void,
  signal: AbortSignal,
): Promise<void> =>
  followRegistry(log, TOPICS.webhooks, new WebhookFold(), {
    show: ({ webhooks }) => show(webhooks),
    signal,
  })

export async function recordWebhooks(
  log: Pick<EventLog, 'append'>,
  records: readonly WebhookRecord[],
): Promise<void> {
  await log.append(
    records.map((value) => ({
      topic: TOPICS.webhooks,
      partition: REGISTRY_PARTITION,
      key: `${value.kind} ${value.name}`,
      value,
    })),
  )
}

/**
 * The last record of each kind and name. They are joined only when read: compaction may leave the
 * last pause of an endpoint before the endpoint's own record, if that was written again later.
 */
class WebhookFold {
  readonly #endpoints = new Map<string, WebhookEndpointRecord>()
  readonly #pauses = new Map<string, WebhookPauseRecord>()
  readonly #retries = new Map<string, WebhookRetryRecord>()
  next = 0

  get webhooks(): Registered {
    return new Map([...this.#endpoints].map(([name, endpoint]) => [name, this.#join(endpoint)]))
  }

  add(batch: readonly Stored<unknown>[]): void {
    for (const { offset, value } of batch) {
      this.next = offset + 1
      // A record of a later release, or of another program, must not end the others.
      const { data: record } = WebhookRecord.safeParse(value)
      if (record?.kind === 'endpoint' && !isLate(record, this.#endpoints.get(record.name)))
        this.#endpoints.set(record.name, record)
      if (record?.kind === 'pause') this.#pauses.set(record.name, record)
      if (record?.kind === 'retry') this.#retries.set(record.name, record)
    }
  }

  #join({ kind: _kind, schema: _schema, ...endpoint }: WebhookEndpointRecord): Webhook {
    const { name, generation } = endpoint
    const isOfIt = (record?: { generation: number }) => record?.generation === generation
    const pause = this.#pauses.get(name)
    const retry = this.#retries.get(name)
    const retryAt = retry && isOfIt(retry) ? retry.at : null
    const isPaused = pause !== undefined && isOfIt(pause) && pause.isPaused
    const resumedAt = pause && isOfIt(pause) && !pause.isPaused ? pause.at : null
    const askedAt =
      [retryAt, resumedAt]
        .filter((at) => at !== null)
        .sort()
        .at(-1) ?? null
    return { ...endpoint, paused: isPaused ? pause.why : null, askedAt, retryAt }
  }
}

/**
 * Whether another process has made the record pointless since its writer read the endpoint. One that
 * was deleted stays deleted, and one that has its name since is another. If two processes create an
 * endpoint under one name at once, the first one holds: nothing changes what an operator's endpoint
 * was created with.
 */
function isLate(record: WebhookEndpointRecord, held: WebhookEndpointRecord | undefined): boolean {
  if (!held || record.generation > held.generation) return false
  if (record.generation < held.generation) return true
  if (held.deletedAt !== null) return record.deletedAt === null
  return (
    held.source === 'operator' && record.source === 'operator' && bornAs(held) !== bornAs(record)
  )
}

const bornAs = ({ createdAt, url, filter }: WebhookEndpointRecord): string =>
  JSON.stringify([createdAt, url, filter])
