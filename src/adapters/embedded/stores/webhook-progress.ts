import type { Database } from 'lmdb'
import type { WebhookKey, WebhookProgress } from '../../../ports/webhooks/webhook-progress.ts'
import { DeliveryProgress } from '../../../schemas/webhooks/webhook-records.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

type ProgressKey = [name: string, generation: number, partition: number]

/** Progress in the LMDB environment of DATA_DIR. */
export class EmbeddedWebhookProgress implements WebhookProgress {
  readonly #store: LmdbStore
  readonly #progress: Database<DeliveryProgress, ProgressKey>

  constructor(store: LmdbStore) {
    this.#store = store
    this.#progress = store.documents('webhook lanes')
  }

  async read(webhook: WebhookKey): Promise<Map<number, DeliveryProgress>> {
    const found = [...this.#progress.getRange(rangeOf(webhook))]
    return new Map(found.map(({ key, value }) => [key[2], DeliveryProgress.parse(value)]))
  }

  save(
    { name, generation }: WebhookKey,
    partition: number,
    progress: DeliveryProgress,
  ): Promise<boolean> {
    const key: ProgressKey = [name, generation, partition]
    return this.#store.write(() => {
      const { version = 0 } = this.#progress.get(key) ?? {}
      if (version !== progress.version - 1) return false
      this.#progress.putSync(key, progress)
      return true
    })
  }

  async forget(webhook: WebhookKey): Promise<void> {
    const keys = [...this.#progress.getKeys(rangeOf(webhook))]
    if (keys.length === 0) return
    await this.#store.write(() => {
      for (const key of keys) this.#progress.removeSync(key)
    })
  }
}

const rangeOf = ({ name, generation }: WebhookKey): { start: ProgressKey; end: ProgressKey } => ({
  start: [name, generation, 0],
  end: [name, generation + 1, 0],
})
