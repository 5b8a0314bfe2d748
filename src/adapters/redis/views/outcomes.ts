import type { StoredOutcome } from '../../../ports/views/order-views.ts'
import type { OutcomeRecord } from '../../../schemas/log.ts'
import { OUTCOME_KEPT_MS, OutcomeWaits } from '../../views/outcome-waits.ts'
import { KEY_NAMES, OUTCOMES_CHANNEL } from '../rights/key-names.ts'
import type { Keyspace } from './keyspace.ts'

interface TimedOutcome extends StoredOutcome {
  /** Unix milliseconds. */
  keptAt: number
}

interface ToldOutcome extends StoredOutcome {
  requestId: string
}

/** An outcome as the script takes it: its key, the stored text, the published text. */
export const keepingOf = (
  { requestId, orderId, outcome }: OutcomeRecord,
  now: number,
): [requestId: string, kept: string, told: string] => [
  requestId,
  JSON.stringify({ orderId, outcome, keptAt: now } satisfies TimedOutcome),
  JSON.stringify({ orderId, outcome, requestId } satisfies ToldOutcome),
]

/** The outcomes of requests, by request id, for an hour. */
export class Outcomes {
  readonly #keyspace: Keyspace
  readonly #waits = new OutcomeWaits()

  /** Subscribes to the outcomes that any process stores. */
  static async open(keyspace: Keyspace, now: () => number): Promise<Outcomes> {
    const outcomes = new Outcomes(keyspace)
    await keyspace.connection.listen(
      keyspace.root + OUTCOMES_CHANNEL,
      (message) => outcomes.#tell(JSON.parse(message) as ToldOutcome),
      () => void outcomes.#lookAgain(now()),
    )
    return outcomes
  }

  private constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  async get(requestId: string, now: number): Promise<StoredOutcome | null> {
    const key = `${this.#keyspace.root}${KEY_NAMES.outcome}${requestId}`
    const text = await this.#keyspace.run((redis) => redis.get(key))
    if (text === null) return null
    const { orderId, outcome, keptAt } = JSON.parse(text) as TimedOutcome
    return keptAt < now - OUTCOME_KEPT_MS ? null : { orderId, outcome }
  }

  /** Starts waiting before it reads, so that an outcome arriving in between is not missed. */
  async wait(requestId: string, now: number, signal: AbortSignal): Promise<StoredOutcome | null> {
    const stop = new AbortController()
    const delivered = this.#waits.until(requestId, AbortSignal.any([signal, stop.signal]))
    try {
      return (await this.get(requestId, now)) ?? (await delivered)
    } finally {
      stop.abort()
    }
  }

  #tell({ requestId, ...told }: ToldOutcome): void {
    this.#waits.tell(requestId, told)
  }

  async #lookAgain(now: number): Promise<void> {
    for (const requestId of this.#waits.requests) {
      // If Redis is unavailable again, the listener's next reconnection runs this again.
      const known = await this.get(requestId, now).catch(() => null)
      if (known) this.#waits.tell(requestId, known)
    }
  }
}
