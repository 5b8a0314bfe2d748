import { setMaxListeners } from 'node:events'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Closer } from './closer.ts'
import type { ReportFault } from './fault-reporter.ts'

const RETRY = { firstMs: 250, lastMs: 10_000 }
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
  // A loop runs one task per partition, and each adds a listener.
  setMaxListeners(0, stop.signal)
  const keepRunning = async () => {
    let failures = 0
    while (!stop.signal.aborted) {
      const begun = clock.monotonic()
      try {
        await loop(stop.signal)
        if (stop.signal.aborted) return
        report(name, new Error('it ended'), 'loop ended unexpectedly, restarting')
      } catch (error) {
        report(name, error, 'loop failed, restarting')
      }
      if (clock.monotonic() - begun > STEADY_MS) failures = 0
      await clock.sleep(backoffMs(failures, RETRY), stop.signal)
      failures += 1
    }
  }
  const done = keepRunning()
  closer.add(async () => {
    stop.abort()
    await done
  })
}
