import { asapScheduler, defer, EMPTY, mergeMap, Observable, observeOn, of, Subject } from 'rxjs'

export interface CoalesceLimits {
  /** How many runs may be in progress at once. */
  concurrency: number
  /** A call made while this many wait is rejected. */
  maxWaiting: number
}

/** Turns a synchronous throw into a rejection: it must not end the stream. */
const started = async <T>(work: () => Promise<T>): Promise<T> => work()

/** Too many callers wait for a run to start. */
export class TooManyWaitingError extends Error {
  override name = 'TooManyWaitingError'
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/**
 * Shares runs of `work` among callers so that no caller's answer comes from a run that started
 * before the call: a run serves all callers waiting when it starts; later ones wait for the next.
 * With two at a time, no caller waits longer than one run plus its own. A failed run rejects the
 * callers it serves; a call is rejected with `TooManyWaitingError` if too many wait.
 */
export function coalesceFresh<T>(
  work: () => Promise<T>,
  { concurrency, maxWaiting }: CoalesceLimits,
): () => Promise<T> {
  let waiting: Waiter<T>[] = []
  const asked = new Subject<void>()

  const run = defer(() => {
    const served = waiting
    waiting = []
    // A run that started since the call already serves them.
    if (served.length === 0) return EMPTY
    return new Observable<never>((slot) => {
      started(work)
        .then(
          (value) => {
            for (const { resolve } of served) resolve(value)
          },
          (error: unknown) => {
            for (const { reject } of served) reject(error)
          },
        )
        .finally(() => slot.complete())
    })
  })
  // A tick later: calls made in the same turn of the event loop share a run.
  const slot = () =>
    of(null).pipe(
      observeOn(asapScheduler),
      mergeMap(() => run),
    )
  asked.pipe(mergeMap(slot, concurrency)).subscribe()

  return () =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new TooManyWaitingError(`${waiting.length} callers are already waiting`))
        return
      }
      waiting.push({ resolve, reject })
      asked.next()
    })
}
