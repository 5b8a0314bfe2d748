import { withDeadline } from '../runtime/deadline.ts'
import type { Gateway } from './gateway.ts'

/**
 * Runs `wait` with a signal that aborts when the request's waiting time is over (`ms` milliseconds,
 * by default `verdictWaitMs`), or with `signal`.
 */
export const inWaitingTime = <T>(
  { clock, settings }: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  wait: (signal: AbortSignal) => Promise<T>,
  ms = settings.verdictWaitMs,
): Promise<T> => withDeadline(clock, ms, signal, wait)
