import type { DeliveryProgress } from '../../schemas/webhooks/webhook-records.ts'

/** An endpoint; one with the name of a deleted one is another endpoint. */
export interface WebhookKey {
  name: string
  generation: number
}

/**
 * The progress of each endpoint in each partition, for any number of processes. Losing it loses no
 * change: an endpoint then starts again from where it was created, and receives changes again.
 */
export interface WebhookProgress {
  /** By partition. Throws `StorageUnavailableError`, as all of these. */
  read(webhook: WebhookKey): Promise<ReadonlyMap<number, DeliveryProgress>>
  /**
   * Stores `progress` if the stored one has the version before its own (if there is none: 0). False
   * if another process has stored something since; nothing was then changed.
   */
  save(webhook: WebhookKey, partition: number, progress: DeliveryProgress): Promise<boolean>
  forget(webhook: WebhookKey): Promise<void>
}
