import type { StoredOutcome } from './order-views.ts'

/** How long a client may ask for the outcome of its request, milliseconds. */
export const OUTCOME_KEPT_MS = 3_600_000

/** Callers in this process that wait for the outcome of a request, whichever store keeps it. */
export class OutcomeWaits {
  readonly #waiting = new Map<string, Set<(outcome: StoredOutcome) => void>>()

  /** The requests that have waiters. */
  get requests(): string[] {
    return [...this.#waiting.keys()]
  }

  /** Resolves with the outcome passed to `tell`; null if the signal aborts first. */
  until(requestId: string, signal: AbortSignal): Promise<StoredOutcome | null> {
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

  tell(requestId: string, { orderId, outcome }: StoredOutcome): void {
    for (const tell of [...(this.#waiting.get(requestId) ?? [])]) tell({ orderId, outcome })
  }
}
