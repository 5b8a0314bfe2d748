import type { Gateway } from './gateway.ts'

/**
 * Runs `wait` with a signal that aborts when a request has waited for as long as it may: `ms`
 * milliseconds, by default `verdictWaitMs`; or with `signal`.
 */
export async function inWaitingTime<T>(
  { clock, settings }: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  wait: (over: AbortSignal) => Promise<T>,
  ms = settings.verdictWaitMs,
): Promise<T> {
  const over = new AbortController()
  const end = () => over.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  void clock.sleep(ms, over.signal).then(end)
  try {
    return await wait(over.signal)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
