import type { StoredOutcome } from '../../ports/views/order-views.ts'
import { KeyedWaiters } from '../../runtime/waiters.ts'

/** How long a client may ask for the outcome of its request, milliseconds. */
export const OUTCOME_KEPT_MS = 3_600_000

/** Callers in this process that wait for the outcome of a request, whichever store keeps it. */
export class OutcomeWaits {
  readonly #waiters = new KeyedWaiters<StoredOutcome>()

  /** The requests that have waiters. */
  get requests(): string[] {
    return this.#waiters.keys
  }

  /** Resolves with the outcome passed to `tell`; null if the signal aborts first. */
  until(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
    return this.#waiters.next(requestId, signal)
  }

  tell(requestId: string, { orderId, outcome }: StoredOutcome): void {
    this.#waiters.tell(requestId, { orderId, outcome })
  }
}
