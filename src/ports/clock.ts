/** Time comes in as an argument: wall time for what is shown, monotonic time for durations. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Resolves in a later turn of the event loop, in the order of those who ask, and no more of them a
   * turn than it takes: long works side by side hold the loop hardly longer than one of them alone.
   */
  turn(): Promise<void>
}

/** The longest stretch of work between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 10

/**
 * Lets others have the event loop in the midst of long work: awaited between two pieces of it, it
 * gives way once every 10 ms. Never a piece may take longer than 50 ms itself.
 */
export function pace(clock: Pick<Clock, 'monotonic' | 'turn'>): () => Promise<void> {
  let since = clock.monotonic()
  return async () => {
    if (clock.monotonic() - since < STRETCH_MS) return
    await clock.turn()
    since = clock.monotonic()
  }
}
