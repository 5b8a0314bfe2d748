import { asapScheduler, defer, EMPTY, mergeMap, Observable, observeOn, of, Subject } from 'rxjs'

export interface Sharing {
  /** How many runs may be under way at once. */
  concurrency: number
  /** Whoever comes while so many wait is turned away. */
  maxWaiting: number
}

/** Also what throws at once is a promise: it must not end the stream. */
const started = async <T>(work: () => Promise<T>): Promise<T> => work()

/** Too many wait for a run to start. */
export class TooManyWaiting extends Error {
  override name = 'TooManyWaiting'
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/**
 * Shares runs of `work` among those who ask for one, so that nobody's answer comes of a run that
 * started before they asked: a run takes all who wait when it starts, and whoever comes later waits
 * for the next. With two at a time, nobody waits longer than one run and their own. A run that fails
 * fails for those whom it took; `TooManyWaiting` where too many wait.
 */
export function shareStarted<T>(
  work: () => Promise<T>,
  { concurrency, maxWaiting }: Sharing,
): () => Promise<T> {
  let waiting: Waiter<T>[] = []
  const asked = new Subject<void>()

  const run = defer(() => {
    const served = waiting
    waiting = []
    // They were taken by a run that started since they asked.
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
  // A tick later: those who ask in the same turn of the event loop go together.
  const slot = () =>
    of(null).pipe(
      observeOn(asapScheduler),
      mergeMap(() => run),
    )
  asked.pipe(mergeMap(slot, concurrency)).subscribe()

  return () =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length >= maxWaiting) {
        reject(new TooManyWaiting(`${waiting.length} wait already`))
        return
      }
      waiting.push({ resolve, reject })
      asked.next()
    })
}
