/** Time comes in as an argument: wall time for what is shown, monotonic time for durations. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Resolves after `ms` milliseconds, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Resolves in a later turn of the event loop, in call order, and only as many callers per turn as
   * fit into it: concurrent long tasks block the loop hardly longer than one task alone.
   */
  turn(): Promise<void>
}
