import type { Database } from 'lmdb'
import type { StoredOutcome } from '../../../ports/views/order-views.ts'
import type { OutcomeRecord } from '../../../schemas/log.ts'
import { OUTCOME_KEPT_MS, OutcomeWaits } from '../../views/outcome-waits.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

interface OutcomeEntry extends StoredOutcome {
  /** Unix milliseconds. */
  keptAt: number
}

/** Outcomes forgotten with one batch: more than a batch brings, so that none pile up. */
const FORGOTTEN_PER_BATCH = 1_000

/** The outcomes of requests, by request id, for an hour. */
export class OutcomeTables {
  readonly #outcomes: Database<OutcomeEntry, string>
  readonly #byTime: Database<true, [keptAt: number, requestId: string]>
  readonly #waits = new OutcomeWaits()

  constructor(store: LmdbStore) {
    this.#outcomes = store.table('view outcomes')
    this.#byTime = store.table('view outcomes by time')
  }

  /** Only within a write. */
  keep(records: readonly OutcomeRecord[], now: number): void {
    for (const { requestId, orderId, outcome } of records) {
      this.#outcomes.putSync(requestId, { orderId, outcome, keptAt: now })
      this.#byTime.putSync([now, requestId], true)
    }
    const old = this.#byTime.getKeys({
      end: [now - OUTCOME_KEPT_MS, ''],
      limit: FORGOTTEN_PER_BATCH,
    })
    for (const [keptAt, requestId] of [...old]) {
      this.#byTime.removeSync([keptAt, requestId])
      // A replay keeps an outcome again, for longer.
      if (this.#outcomes.get(requestId)?.keptAt === keptAt) this.#outcomes.removeSync(requestId)
    }
  }

  get(requestId: string, now: number): StoredOutcome | null {
    const kept = this.#outcomes.get(requestId)
    if (!kept || kept.keptAt < now - OUTCOME_KEPT_MS) return null
    return { orderId: kept.orderId, outcome: kept.outcome }
  }

  /** Wakes the waiting requests; call once the outcomes are durable. */
  announce(records: readonly OutcomeRecord[]): void {
    for (const record of records) this.#waits.tell(record.requestId, record)
  }

  wait(requestId: string, now: number, signal: AbortSignal): Promise<StoredOutcome | null> {
    const known = this.get(requestId, now)
    return known ? Promise.resolve(known) : this.#waits.until(requestId, signal)
  }
}
