import type { Clock } from './clock.ts'

/** The longest stretch of work between two turns of the event loop, in milliseconds. */
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

/** Work that takes a turn of the event loop after so many milliseconds: whether they are over. */
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

/** A page is made in pieces of so many milliseconds, with a turn of the event loop after each. */
const PIECE_MS = 2

/**
 * Makes something of each item, in order, up to the first that does not fit; other work runs between
 * two pieces.
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
    // Nothing is awaited before: the work of others, done meanwhile, would count as this piece's.
    if (slice.isOver()) await slice.next()
  }
  return made
}
