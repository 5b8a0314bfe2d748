import type { Gateway } from './gateway.ts'
import { RefusalError } from './refusal.ts'
import { inWaitingTime } from './waiting-time.ts'

/** An order that others write again and again meanwhile is judged so often for one request. */
const MAX_ATTEMPTS = 4

/**
 * The first answer that no other writer of the order made void, within the waiting time of the request;
 * an attempt gives null where one did.
 *
 * @throws RefusalError STILL_BEING_VERIFIED with the reason if all were void
 */
export const inAttempts = <T>(
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  reason: string,
  attempt: (deadline: AbortSignal) => Promise<T | null>,
): Promise<T> =>
  inWaitingTime(gateway, signal, async (deadline) => {
    for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
      const answer = await attempt(deadline)
      if (answer !== null) return answer
    }
    throw new RefusalError('STILL_BEING_VERIFIED', reason)
  })
