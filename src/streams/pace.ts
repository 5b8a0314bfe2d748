import { setImmediate } from 'node:timers/promises'

/** The longest stretch of work between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 10

/**
 * Lets others have the event loop in the midst of long work: awaited between two pieces of it, it
 * gives way once every 10 ms. Never a piece may take longer than 50 ms itself.
 */
export function pace(clock: { monotonic(): number }): () => Promise<void> {
  let since = clock.monotonic()
  return async () => {
    if (clock.monotonic() - since < STRETCH_MS) return
    await setImmediate()
    since = clock.monotonic()
  }
}

/** Consecutive groups of at most `size` items. */
export function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
