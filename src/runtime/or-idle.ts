import type { Clock } from './clock.ts'
import { withTimeout } from './deadline.ts'

/**
 * Yields what a source yields, and null whenever nothing came within `idleMs()` milliseconds,
 * called when the wait begins; if that is null, it waits indefinitely. When this has ended, so has
 * the source.
 */
export async function* orIdle<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  clock: Clock,
  idleMs: () => number | null,
  signal: AbortSignal,
): AsyncGenerator<T | null, void> {
  const stop = new AbortController()
  const source = open(AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]()
  try {
    for (let next = source.next(); ; ) {
      const ms = idleMs()
      const came = ms === null ? await next : await withTimeout(clock, ms, next)
      if (came === 'late') {
        yield null
        continue
      }
      if (came.done) return
      yield came.value
      next = source.next()
    }
  } finally {
    stop.abort()
    await source.return?.()
  }
}
