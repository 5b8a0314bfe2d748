import { backoffMs } from '../runtime/backoff.ts'
import type { Clock } from '../runtime/clock.ts'

/** What went wrong in a projection, and when it is retried. */
export interface ProjectionFailure {
  projection: string
  error: unknown
  retryInMs: number
}

export interface RetryOptions {
  projection: string
  clock: Clock
  mostMs: number
  onFailure?: (failure: ProjectionFailure) => void
}

const FIRST_MS = 50

/**
 * Runs `work` until the signal aborts, again after each failure: nothing is lost meanwhile, the
 * records wait in the log. The wait doubles up to `mostMs`, and is short again once `work` has
 * called `progress`.
 */
export async function retryUntil(
  { projection, clock, mostMs, onFailure }: RetryOptions,
  signal: AbortSignal,
  work: (progress: () => void) => Promise<void>,
): Promise<void> {
  let failures = 0
  const progress = () => {
    failures = 0
  }
  while (!signal.aborted) {
    try {
      await work(progress)
    } catch (error) {
      const retryInMs = backoffMs(failures, { firstMs: FIRST_MS, lastMs: mostMs })
      failures += 1
      onFailure?.({ projection, error, retryInMs })
      await clock.sleep(retryInMs, signal)
    }
  }
}
