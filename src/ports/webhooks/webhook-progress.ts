import type { LaneProgress } from '../../schemas/webhooks/webhook-records.ts'

/** An endpoint; one that has the name of a deleted one is another. */
export interface WebhookKey {
  name: string
  generation: number
}

/**
 * How far each endpoint has come in each partition, for any number of processes. Losing it loses no
 * change: an endpoint then begins again where it was made, and is sent what it had once more.
 */
export interface WebhookProgress {
  /** By partition. Throws `StorageUnavailableError`, as all of these. */
  read(webhook: WebhookKey): Promise<ReadonlyMap<number, LaneProgress>>
  /**
   * Stores `progress` if what is stored has the version before its own (nothing: 0). False: another
   * process has stored something since, and nothing was changed.
   */
  save(webhook: WebhookKey, partition: number, progress: LaneProgress): Promise<boolean>
  forget(webhook: WebhookKey): Promise<void>
}
