import type { Gateway } from './gateway.ts'

/**
 * Runs `wait` with a signal that aborts when a request has waited for as long as it may
 * (`verdictWaitMs`), or with `signal`.
 */
export async function inWaitingTime<T>(
  { clock, settings }: Pick<Gateway, 'clock' | 'settings'>,
  signal: AbortSignal,
  wait: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const end = () => over.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  void clock.sleep(settings.verdictWaitMs, over.signal).then(end)
  try {
    return await wait(over.signal)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}
