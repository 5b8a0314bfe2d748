import { withDeadline } from '../ports/deadline.ts'
import type { Gateway } from './gateway.ts'

/**
 * Runs `wait` with a signal that aborts when a request has waited for as long as it may
 * (`verdictWaitMs`), or with `signal`.
 */
export const inWaitingTime = <T>(
  { clock, settings }: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  wait: (over: AbortSignal) => Promise<T>,
): Promise<T> => withDeadline(clock, settings.verdictWaitMs, signal, wait)
