import { type Clock, stretchOf } from './clock.ts'

/** A page is made in pieces of so many milliseconds, with a turn of the event loop after each. */
const PIECE_MS = 2

/**
 * Makes something of each item, in order, up to the first that does not fit; other work runs between
 * two pieces.
 */
export async function madeInPieces<T, Made>(
  clock: Pick<Clock, 'monotonic' | 'turn'>,
  all: readonly T[],
  make: (one: T) => Made,
  fits: (made: Made) => boolean = () => true,
): Promise<Made[]> {
  const made: Made[] = []
  const stretch = stretchOf(clock, PIECE_MS)
  for (const one of all) {
    const next = make(one)
    if (!fits(next)) break
    made.push(next)
    // Nothing is awaited before: the work of others, done meanwhile, would count as this piece's.
    if (stretch.isOver()) await stretch.next()
  }
  return made
}
