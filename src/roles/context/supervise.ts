import { setMaxListeners } from 'node:events'
import type { Clock } from '../../runtime/clock.ts'
import type { Closer } from './closer.ts'
import type { ReportFault } from './fault-reporter.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 10_000
/** A loop that ran this long before failing restarts with the first delay. */
const STEADY_MS = 60_000

export interface Supervision {
  clock: Clock
  report: ReportFault
  closer: Closer
}

/**
 * Keeps a loop running until the closer ends it: no fault of a store or an authority stops the
 * service; it reports the fault and retries.
 */
export function supervise(
  name: string,
  { clock, report, closer }: Supervision,
  loop: (signal: AbortSignal) => Promise<void>,
): void {
  const stop = new AbortController()
  // A loop runs one lane per partition, and each adds a listener.
  setMaxListeners(0, stop.signal)
  const keepRunning = async () => {
    let retryMs = FIRST_RETRY_MS
    while (!stop.signal.aborted) {
      const begun = clock.monotonic()
      try {
        await loop(stop.signal)
        if (stop.signal.aborted) return
        report(name, new Error('it ended'), 'loop ended unexpectedly, restarting')
      } catch (error) {
        report(name, error, 'loop failed, restarting')
      }
      if (clock.monotonic() - begun > STEADY_MS) retryMs = FIRST_RETRY_MS
      await clock.sleep(retryMs, stop.signal)
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
    }
  }
  const done = keepRunning()
  closer.add(async () => {
    stop.abort()
    await done
  })
}
