import type { DeadDelivery, DeliveryProgress } from '../../schemas/webhooks/webhook-records.ts'

/** All in milliseconds. */
const FIRST_RETRY = 5_000
const LONGEST_RETRY = 3_600_000
/** A delivery that has failed for this long gives up its current change after each attempt. */
const MAX_FAILING_MS = 24 * 3_600_000
/** Newest dead letters stored of a delivery. */
export const MAX_DEAD = 50

export interface FailedAttempt {
  reason: string
  /** Unix milliseconds. */
  at: number
  /** The wait that the endpoint asks for, milliseconds; null if it asks for none. */
  retryAfterMs: number | null
  /** From 0 to 1. */
  random: number
}

type FailedChange = Pick<DeadDelivery, 'partition' | 'offset' | 'orderId' | 'seq'>

/**
 * The progress after a failed attempt: it waits twice as long as before, up to an hour, less a random
 * part of up to a half. Once nothing has succeeded for a day the change becomes a dead letter and
 * the delivery continues with the next one.
 */
export function afterFailure(
  progress: DeliveryProgress,
  place: FailedChange,
  { reason, at, retryAfterMs, random }: FailedAttempt,
): { progress: DeliveryProgress; isDead: boolean } {
  const attempts = (progress.failing?.attempts ?? 0) + 1
  const since = progress.failing?.since ?? new Date(at).toISOString()
  const backOff = Math.min(FIRST_RETRY * 2 ** Math.min(attempts - 1, 20), LONGEST_RETRY)
  const spread = backOff * (1 - random / 2)
  const waitMs = Math.min(Math.max(spread, retryAfterMs ?? 0), LONGEST_RETRY)
  const lastAt = new Date(at).toISOString()
  const failing = { since, attempts, lastAt, retryAt: new Date(at + waitMs).toISOString(), reason }
  const isDead = at - Date.parse(since) >= MAX_FAILING_MS
  if (!isDead) return { progress: { ...progress, failing }, isDead }
  return { progress: { ...withDead(progress, { ...place, at: lastAt, reason }), failing }, isDead }
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
  { at, reason }: Pick<FailedAttempt, 'at' | 'reason'>,
): DeliveryProgress => ({
  ...progress,
  dead: progress.dead.map((one) =>
    one === letter ? { ...one, at: new Date(at).toISOString(), reason } : one,
  ),
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
