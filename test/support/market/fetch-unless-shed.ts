import { setTimeout as delay } from 'node:timers/promises'

const TRIES = 50

/**
 * A busy service closes the connections of routes that have no status for it (ADR 48): those
 * requests are retried.
 */
export async function fetchUnlessShed(url: string, init: RequestInit = {}): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (tried === TRIES || !isClosed(error)) throw error
      await delay(100)
    }
  }
}

const isClosed = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'UND_ERR_SOCKET'
