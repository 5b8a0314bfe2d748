import type { StoredOutcome } from '../../ports/order-views.ts'
import type { OutcomeRecord } from '../../schemas/log.ts'
import type { Keyspace } from './keyspace.ts'

interface KeptOutcome extends StoredOutcome {
  /** Unix milliseconds. */
  keptAt: number
}

interface ToldOutcome extends StoredOutcome {
  requestId: string
}

/** How long a client may ask for the outcome of its request. */
export const KEPT_MS = 3_600_000

/** An outcome as the script takes it: its key, what is kept, what is told. */
export const keepingOf = (
  { requestId, orderId, outcome }: OutcomeRecord,
  now: number,
): [requestId: string, kept: string, told: string] => [
  requestId,
  JSON.stringify({ orderId, outcome, keptAt: now } satisfies KeptOutcome),
  JSON.stringify({ orderId, outcome, requestId } satisfies ToldOutcome),
]

/** What became of requests, by request id, for an hour. */
export class Outcomes {
  readonly #keyspace: Keyspace
  readonly #waiting = new Map<string, Set<(outcome: StoredOutcome) => void>>()

  /** Hears of outcomes that any process keeps. */
  static async open(keyspace: Keyspace, now: () => number): Promise<Outcomes> {
    const outcomes = new Outcomes(keyspace)
    await keyspace.connection.listen(
      `${keyspace.root}outcomes`,
      (message) => outcomes.#tell(JSON.parse(message) as ToldOutcome),
      () => void outcomes.#lookAgain(now()),
    )
    return outcomes
  }

  private constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace
  }

  async get(requestId: string, now: number): Promise<StoredOutcome | null> {
    const key = `${this.#keyspace.root}outcome:${requestId}`
    const text = await this.#keyspace.run((redis) => redis.get(key))
    if (text === null) return null
    const { orderId, outcome, keptAt } = JSON.parse(text) as KeptOutcome
    return keptAt < now - KEPT_MS ? null : { orderId, outcome }
  }

  /** Waits before it looks, so that an outcome which comes in between is not missed. */
  async wait(requestId: string, now: number, signal: AbortSignal): Promise<StoredOutcome | null> {
    const stop = new AbortController()
    const told = this.#told(requestId, AbortSignal.any([signal, stop.signal]))
    try {
      return (await this.get(requestId, now)) ?? (await told)
    } finally {
      stop.abort()
    }
  }

  #told(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(requestId) ?? new Set()
      this.#waiting.set(requestId, waiting)
      const done = (outcome: StoredOutcome | null) => {
        waiting.delete(done)
        if (waiting.size === 0) this.#waiting.delete(requestId)
        signal.removeEventListener('abort', abort)
        resolve(outcome)
      }
      const abort = () => done(null)
      waiting.add(done)
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort)
    })
  }

  #tell({ requestId, orderId, outcome }: ToldOutcome): void {
    for (const tell of [...(this.#waiting.get(requestId) ?? [])]) tell({ orderId, outcome })
  }

  async #lookAgain(now: number): Promise<void> {
    for (const requestId of [...this.#waiting.keys()]) {
      // Away again: the listener's next return comes here too.
      const known = await this.get(requestId, now).catch(() => null)
      if (known) this.#tell({ requestId, ...known })
    }
  }
}
