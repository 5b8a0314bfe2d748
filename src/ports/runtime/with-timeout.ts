import type { Clock } from './clock.ts'

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
