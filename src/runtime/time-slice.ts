import type { Clock } from './clock.ts'

/** The longest work between two turns of the event loop, milliseconds. */
const SLICE_MS = 10

/**
 * Yields the event loop during long work: awaited between two pieces of it, it yields once every
 * 10 ms. No single piece may take longer than 50 ms.
 */
export function pace(clock: Pick<Clock, 'monotonic' | 'turn'>): () => Promise<void> {
  const slice = timeSlice(clock, SLICE_MS)
  return async () => {
    if (slice.isOver()) await slice.next()
  }
}

/** A time slice: `isOver()` after `ms`; `next()` yields the event loop and starts another slice. */
export function timeSlice(clock: Pick<Clock, 'monotonic' | 'turn'>, ms: number) {
  let since = clock.monotonic()
  return {
    isOver: (): boolean => clock.monotonic() - since >= ms,
    next: async (): Promise<void> => {
      await clock.turn()
      since = clock.monotonic()
    },
  }
}

/** Milliseconds of work on a page between two turns of the event loop. */
const PIECE_MS = 2

/**
 * Maps the items in order, up to the first result that does not fit, and yields the event loop
 * every 2 ms.
 */
export async function mapYielding<T, Made>(
  clock: Pick<Clock, 'monotonic' | 'turn'>,
  all: readonly T[],
  make: (one: T) => Made,
  fits: (made: Made) => boolean = () => true,
): Promise<Made[]> {
  const made: Made[] = []
  const slice = timeSlice(clock, PIECE_MS)
  for (const one of all) {
    const next = make(one)
    if (!fits(next)) break
    made.push(next)
    // Nothing is awaited earlier: the work of others would count as part of this slice.
    if (slice.isOver()) await slice.next()
  }
  return made
}
