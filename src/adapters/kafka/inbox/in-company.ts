import type { Clock } from '../../../runtime/clock.ts'
import { withTimeout } from '../../../runtime/deadline.ts'

/** How long one record waits for others, milliseconds. */
const WAIT_MS = 3
/** It waits only if the last records came within so many milliseconds: more are likely to come. */
const RECENT_MS = 20

/**
 * As its source, but a record that comes alone soon after others waits for the next for a moment:
 * each step is a transaction, which costs far more than that.
 */
export async function* inCompany<T>(
  batches: AsyncIterable<readonly T[]>,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): AsyncGenerator<readonly T[]> {
  const source = batches[Symbol.asyncIterator]()
  let asked: Promise<IteratorResult<readonly T[]>> | null = null
  let lastMs = -Infinity
  try {
    for (;;) {
      const came = await (asked ?? source.next())
      asked = null
      if (came.done) return
      let batch = came.value
      const isRecent = clock.monotonic() - lastMs <= RECENT_MS
      if (batch.length === 1 && isRecent) {
        asked = source.next()
        const more = await withTimeout(clock, WAIT_MS, asked)
        if (more !== 'late') {
          asked = null
          if (!more.done) batch = [...batch, ...more.value]
        }
      }
      lastMs = clock.monotonic()
      yield batch
    }
  } finally {
    await source.return?.()
  }
}
