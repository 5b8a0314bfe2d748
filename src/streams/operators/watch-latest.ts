import type { Observable } from 'rxjs'
import type { Clock } from '../../runtime/clock.ts'
import { Waiters } from '../../runtime/waiters.ts'

/** The latest value of a source, for a reader that looks at it at its own pace. */
export interface Latest<T> {
  /** Null before the first value. */
  readonly value: T | null
  /** Resolves when a value has come since it was last awaited, after `ms`, or at the abort. */
  changed(ms: number): Promise<void>
}

/** Subscribes until the signal aborts. The source must not fail. */
export function watchLatest<T>(
  source: Observable<T>,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Latest<T> {
  let value: T | null = null
  let isNew = false
  const waiters = new Waiters()
  const subscription = source.subscribe((next) => {
    value = next
    isNew = true
    waiters.tell()
  })
  const end = () => subscription.unsubscribe()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return {
    get value() {
      return value
    },
    async changed(ms) {
      if (!isNew) await waiters.within(clock, ms, signal)
      isNew = false
    },
  }
}
