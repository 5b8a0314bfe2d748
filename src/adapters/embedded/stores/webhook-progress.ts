import type { Database } from 'lmdb'
import type { WebhookKey, WebhookProgress } from '../../../ports/webhooks/webhook-progress.ts'
import { LaneProgress } from '../../../schemas/webhooks/webhook-records.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

type LaneKey = [name: string, generation: number, partition: number]

/** Progress in the LMDB environment of DATA_DIR. */
export class EmbeddedWebhookProgress implements WebhookProgress {
  readonly #store: LmdbStore
  readonly #lanes: Database<LaneProgress, LaneKey>

  constructor(store: LmdbStore) {
    this.#store = store
    this.#lanes = store.documents('webhook lanes')
  }

  async read(webhook: WebhookKey): Promise<Map<number, LaneProgress>> {
    const lanes = [...this.#lanes.getRange(rangeOf(webhook))]
    return new Map(lanes.map(({ key, value }) => [key[2], LaneProgress.parse(value)]))
  }

  save(
    { name, generation }: WebhookKey,
    partition: number,
    progress: LaneProgress,
  ): Promise<boolean> {
    const key: LaneKey = [name, generation, partition]
    return this.#store.write(() => {
      const { version = 0 } = this.#lanes.get(key) ?? {}
      if (version !== progress.version - 1) return false
      this.#lanes.putSync(key, progress)
      return true
    })
  }

  async forget(webhook: WebhookKey): Promise<void> {
    const keys = [...this.#lanes.getKeys(rangeOf(webhook))]
    if (keys.length === 0) return
    await this.#store.write(() => {
      for (const key of keys) this.#lanes.removeSync(key)
    })
  }
}

const rangeOf = ({ name, generation }: WebhookKey): { start: LaneKey; end: LaneKey } => ({
  start: [name, generation, 0],
  end: [name, generation + 1, 0],
})
