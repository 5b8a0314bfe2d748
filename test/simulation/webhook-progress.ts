import { StorageUnavailableError } from '../../src/ports/log/storage-errors.ts'
import type { WebhookKey, WebhookProgress } from '../../src/ports/webhooks/webhook-progress.ts'
import type { LaneProgress } from '../../src/schemas/webhooks/webhook-records.ts'
import type { Process } from './process.ts'

/** How deliveries stand, as a store has it: by endpoint and partition, each write the next version. */
export class SimWebhookProgress {
  readonly #lanes = new Map<string, Map<number, LaneProgress>>()

  lanes(webhook: WebhookKey): Map<number, LaneProgress> {
    const key = `${webhook.name} ${webhook.generation}`
    const lanes = this.#lanes.get(key) ?? new Map<number, LaneProgress>()
    this.#lanes.set(key, lanes)
    return lanes
  }

  save(webhook: WebhookKey, partition: number, progress: LaneProgress): boolean {
    const lanes = this.lanes(webhook)
    if ((lanes.get(partition)?.version ?? 0) !== progress.version - 1) return false
    lanes.set(partition, progress)
    return true
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
        effect: () => new Map(store.lanes(webhook)),
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
        effect: () => store.lanes(webhook).clear(),
        trouble,
      }),
  }
}
