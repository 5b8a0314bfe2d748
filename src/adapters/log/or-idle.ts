import type { Clock } from '../../runtime/clock.ts'

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
  const over = new AbortController()
  const source = open(AbortSignal.any([signal, over.signal]))[Symbol.asyncIterator]()
  try {
    for (let next = source.next(); ; ) {
      const came = await within(clock, idleMs(), next)
      if (came === 'idle') {
        yield null
        continue
      }
      if (came.done) return
      yield came.value
      next = source.next()
    }
  } finally {
    over.abort()
    await source.return?.()
  }
}

async function within<T>(clock: Clock, ms: number | null, next: Promise<T>): Promise<T | 'idle'> {
  if (ms === null) return await next
  const came = new AbortController()
  // A consumer that leaves while this is idle ignores a later failure of the source.
  next.catch(() => {})
  try {
    return await Promise.race([next, clock.sleep(ms, came.signal).then(() => 'idle' as const)])
  } finally {
    came.abort()
  }
}
