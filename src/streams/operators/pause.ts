import { Observable } from 'rxjs'
import type { Clock } from '../../runtime/clock.ts'

/** Emits once after `ms` milliseconds of the clock; unsubscribing cancels the timer. */
export const pause = (clock: Pick<Clock, 'sleep'>, ms: number): Observable<void> =>
  new Observable((subscriber) => {
    const gone = new AbortController()
    void clock.sleep(ms, gone.signal).then(() => {
      subscriber.next()
      subscriber.complete()
    })
    return () => gone.abort()
  })
