import { type MonoTypeOperatorFunction, ReplaySubject, share, timer } from 'rxjs'

/** One run of the source answers everybody who subscribes while it runs, and `ms` milliseconds on. */
export const sharedFor = <T>(ms: number): MonoTypeOperatorFunction<T> =>
  share({
    connector: () => new ReplaySubject<T>(1),
    resetOnComplete: () => timer(ms),
    resetOnRefCountZero: false,
  })
