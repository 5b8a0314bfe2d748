import type { Clock } from '../ports/clock.ts'

/** An answer, or `late` after `ms` milliseconds: it is then of no interest, and neither its failure. */
export async function within<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T | 'late'> {
  const answered = new AbortController()
  try {
    const late = clock.sleep(ms, answered.signal).then(() => 'late' as const)
    return await Promise.race([answer, late])
  } finally {
    answered.abort()
    answer.catch(() => {})
  }
}
