import type { DeadDelivery, DeliveryProgress } from '../../schemas/webhooks/webhook-records.ts'

/** All in milliseconds. */
const FIRST_RETRY = 5_000
const LONGEST_RETRY = 3_600_000
/** A delivery that has failed for this long gives up its current change after each attempt. */
const MAX_FAILING_MS = 24 * 3_600_000
/** A sender that runs is never later than this, however many attempts of the endpoint wait in line. */
const MAX_LATE_MS = 600_000
/** Newest dead letters stored of a delivery. */
export const MAX_DEAD = 50

export interface FailedAttempt {
  reason: string
  /** Unix milliseconds. */
  at: number
  /** The time that it is noted with: later than what an operator had asked, whatever the clock says. */
  triedAt: string
  /** The wait that the endpoint asks for, milliseconds; null if it asks for none. */
  retryAfterMs: number | null
  /** From 0 to 1. */
  random: number
}

type FailedChange = Pick<DeadDelivery, 'partition' | 'offset' | 'orderId' | 'seq'>

/**
 * The progress after a failed attempt: it waits twice as long as before, up to an hour, less a random
 * part of up to a half. Once nothing has succeeded for a day the change becomes a dead letter and
 * the delivery continues with the next one, an hour later. Time in which nothing was asked, since the
 * endpoint was paused or no process sent, is no part of that day.
 */
export function afterFailure(
  progress: DeliveryProgress,
  place: FailedChange,
  { reason, at, triedAt, retryAfterMs, random }: FailedAttempt,
): { progress: DeliveryProgress; isDead: boolean } {
  const attempts = (progress.failing?.attempts ?? 0) + 1
  const since = new Date(failingSince(progress, at)).toISOString()
  const backOff = Math.min(FIRST_RETRY * 2 ** Math.min(attempts - 1, 20), LONGEST_RETRY)
  const isDead = at - Date.parse(since) >= MAX_FAILING_MS
  const spread = isDead ? LONGEST_RETRY : backOff * (1 - random / 2)
  const waitMs = Math.min(Math.max(spread, retryAfterMs ?? 0), LONGEST_RETRY)
  const retryAt = new Date(at + waitMs).toISOString()
  const failing = { since, attempts, lastAt: triedAt, retryAt, reason }
  if (!isDead) return { progress: { ...progress, failing }, isDead }
  return { progress: { ...withDead(progress, { ...place, at: triedAt, reason }), failing }, isDead }
}

/** When the day of a delivery that fails began, Unix milliseconds. */
function failingSince({ failing }: DeliveryProgress, at: number): number {
  if (!failing) return at
  const lateMs = at - Date.parse(failing.retryAt)
  return Date.parse(failing.since) + (lateMs > MAX_LATE_MS ? lateMs : 0)
}

function withDead(progress: DeliveryProgress, letter: DeadDelivery): DeliveryProgress {
  const dead = [...progress.dead, letter].slice(-MAX_DEAD)
  return { ...progress, next: letter.offset + 1, dead, died: progress.died + 1 }
}

/** The progress after the change at an offset was delivered. */
export const afterDelivery = (progress: DeliveryProgress, offset: number): DeliveryProgress => ({
  ...progress,
  next: offset + 1,
  failing: null,
})

/** The progress after a dead letter was delivered after all: the endpoint takes changes again. */
export const afterLateDelivery = (
  progress: DeliveryProgress,
  letter: DeadDelivery,
): DeliveryProgress => ({
  ...withoutDead(progress, letter),
  failing: null,
})

/** The progress without a dead letter that the endpoint no longer wants, which shows nothing about it. */
export const withoutDead = (
  progress: DeliveryProgress,
  letter: DeadDelivery,
): DeliveryProgress => ({
  ...progress,
  dead: progress.dead.filter((one) => one !== letter),
})

/** The progress after one more failure of a dead letter, which stays one. */
export const afterLateFailure = (
  progress: DeliveryProgress,
  letter: DeadDelivery,
  { triedAt, reason }: Pick<FailedAttempt, 'triedAt' | 'reason'>,
): DeliveryProgress => ({
  ...progress,
  dead: progress.dead.map((one) => (one === letter ? { ...one, at: triedAt, reason } : one)),
})

/** Milliseconds from now until the delivery may try again. */
export function waitOf({ failing }: DeliveryProgress, now: number): number {
  if (!failing) return 0
  // A clock that was set back must not make the wait any longer.
  return Math.min(Math.max(0, Date.parse(failing.retryAt) - now), LONGEST_RETRY)
}

/**
 * `Retry-After` in milliseconds: seconds, or a date (RFC 9110, 10.2.3). Null: absent or neither.
 */
export function retryAfterOf(text: string | null, now: number): number | null {
  if (text === null) return null
  if (/^[0-9]{1,10}$/.test(text)) return Number(text) * 1_000
  const until = /GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(until) ? null : Math.max(0, until - now)
}

/** When the last attempt of these deliveries was made, as it is noted; null: none has failed. */
export function lastTried(deliveries: Iterable<DeliveryProgress>): string | null {
  const times = [...deliveries].flatMap(({ failing, dead }) => [
    ...(failing ? [failing.lastAt] : []),
    ...dead.map(({ at }) => at),
  ])
  return times.sort().at(-1) ?? null
}

/**
 * The time now, or just after another if that is later: the clocks of those who ask and of those who
 * send differ, and what follows the other must be seen to.
 */
export function timeAfter(other: string | null, now: number): string {
  const least = other === null ? now : Date.parse(other) + 1
  return new Date(Math.max(now, least)).toISOString()
}
