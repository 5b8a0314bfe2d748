import type { Clock } from './clock.ts'

/**
 * Runs `work` with a signal that aborts after `ms` milliseconds, with a `TimeoutError`, or with
 * `signal`. The timer keeps the signal alive: `AbortSignal.any` of an `AbortSignal.timeout` may be
 * collected before it aborts (Node 20), and then its waiters hang for ever.
 */
export async function withDeadline<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  signal: AbortSignal,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const end = () => stop.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const late = () => stop.abort(new DOMException(`not finished within ${ms} ms`, 'TimeoutError'))
  void clock.sleep(ms, stop.signal).then(late)
  try {
    return await work(stop.signal)
  } finally {
    signal.removeEventListener('abort', end)
    stop.abort()
  }
}

/** The answer, or `late` after `ms` milliseconds: a late answer or rejection is ignored. */
export async function withTimeout<T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  answer: Promise<T>,
): Promise<T | 'late'> {
  const answered = new AbortController()
  try {
    const late = clock.sleep(ms, answered.signal).then(() => 'late' as const)
    return await Promise.race([answer, late])
  } finally {
    answered.abort()
    answer.catch(() => {})
  }
}
