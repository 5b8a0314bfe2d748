import { type MonoTypeOperatorFunction, ReplaySubject, share, timer } from 'rxjs'

/** One run of the source serves all subscribers during it and for `ms` milliseconds after. */
export const cacheFor = <T>(ms: number): MonoTypeOperatorFunction<T> =>
  share({
    connector: () => new ReplaySubject<T>(1),
    resetOnComplete: () => timer(ms),
    resetOnRefCountZero: false,
  })
