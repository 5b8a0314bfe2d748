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
   * it can take: concurrent long tasks block the loop hardly longer than one of them alone.
   */
  turn(): Promise<void>
}

/** The longest stretch of work between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 10

/**
 * Yields the event loop during long work: awaited between two pieces of it, it yields once every
 * 10 ms. No single piece may take longer than 50 ms.
 */
export function pace(clock: Pick<Clock, 'monotonic' | 'turn'>): () => Promise<void> {
  const stretch = stretchOf(clock, STRETCH_MS)
  return async () => {
    if (stretch.isOver()) await stretch.next()
  }
}

/** Work that takes a turn of the event loop after so many milliseconds: whether they are over. */
export function stretchOf(clock: Pick<Clock, 'monotonic' | 'turn'>, ms: number) {
  let since = clock.monotonic()
  return {
    isOver: (): boolean => clock.monotonic() - since >= ms,
    next: async (): Promise<void> => {
      await clock.turn()
      since = clock.monotonic()
    },
  }
}
