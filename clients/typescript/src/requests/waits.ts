import type { Timing } from './options.ts'

const FIRST_MS = 250
const LONGEST_MS = 10_000
/** Later attempts double a wait that is at its longest already. */
const MAX_DOUBLINGS = 16

/** The seconds of a Retry-After: seconds or a date (RFC 9110, 10.2.3); null: it is neither. */
export function secondsOf(retryAfter: string | null, now: Date): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const ms = Date.parse(retryAfter) - now.getTime()
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil(ms / 1_000))
}

/**
 * Milliseconds to wait after so many failures in a row: any time up to a bound that doubles, so that
 * clients that failed together do not come back together; never less than the service asked for.
 */
export function waitAfter(
  failures: number,
  { retryAfter, timing }: { retryAfter: number | null; timing: Timing },
  firstMs: number = FIRST_MS,
): number {
  const doublings = Math.min(failures - 1, MAX_DOUBLINGS)
  const bound = Math.min(LONGEST_MS, firstMs * 2 ** doublings)
  return (retryAfter ?? 0) * 1_000 + Math.round(bound * (0.5 + timing.random() / 2))
}
