import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { WebhookKey, WebhookProgress } from '../../src/ports/webhooks/webhook-progress.ts'
import type { DeliveryProgress } from '../../src/schemas/webhooks/webhook-records.ts'
import type { Process } from './process.ts'

const DAY_MS = 24 * 3_600_000

/** How deliveries stand, as a store has it: by endpoint and partition, each write the next version. */
export class SimWebhookProgress {
  readonly #deliveries = new Map<string, Map<number, DeliveryProgress>>()

  deliveries(webhook: WebhookKey): Map<number, DeliveryProgress> {
    const key = `${webhook.name} ${webhook.generation}`
    const deliveries = this.#deliveries.get(key) ?? new Map<number, DeliveryProgress>()
    this.#deliveries.set(key, deliveries)
    return deliveries
  }

  save(webhook: WebhookKey, partition: number, progress: DeliveryProgress): boolean {
    const deliveries = this.deliveries(webhook)
    if ((deliveries.get(partition)?.version ?? 0) !== progress.version - 1) return false
    deliveries.set(partition, progress)
    return true
  }

  /** As if another sender had tried for a day: those that run find their deliveries moved. */
  passDay(): void {
    for (const deliveries of this.#deliveries.values()) {
      for (const [partition, { failing, version, ...rest }] of deliveries) {
        if (!failing) continue
        const since = new Date(Date.parse(failing.since) - DAY_MS).toISOString()
        deliveries.set(partition, { ...rest, version: version + 1, failing: { ...failing, since } })
      }
    }
  }
}

/** The store as one process sees it. */
export function progressOf(store: SimWebhookProgress, process: Process): WebhookProgress {
  const trouble = () => new StorageUnavailableError('io', 'simulated: no answer of the progress')
  return {
    read: (webhook) =>
      process.call({
        kind: 'read',
        name: 'webhooks.read',
        effect: () => new Map(store.deliveries(webhook)),
        trouble,
      }),
    save: (webhook, partition, progress) =>
      process.call({
        kind: 'write',
        name: `webhooks.save ${partition}`,
        effect: () => store.save(webhook, partition, progress),
        trouble,
      }),
    forget: (webhook) =>
      process.call({
        kind: 'write',
        name: 'webhooks.forget',
        effect: () => store.deliveries(webhook).clear(),
        trouble,
      }),
  }
}
