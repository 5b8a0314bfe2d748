import { setTimeout as delay } from 'node:timers/promises'

/** Longer than a service of a test is overloaded. */
const PATIENCE_MS = 20_000
const STEP_MS = 50
const MAX_WAIT_MS = 500

/**
 * A connection that ends without an answer: a server may close an idle one while a request is in
 * flight, and a busy service sheds routes that have no status for it so (ADR 48). The request, which
 * must be safe to repeat (RFC 9110, 9.2.2), is sent again, after a longer pause each time.
 */
export async function fetchUnlessShed(url: string, init: RequestInit = {}): Promise<Response> {
  const until = performance.now() + PATIENCE_MS
  for (let waitMs = 0; ; waitMs = Math.min(waitMs + STEP_MS, MAX_WAIT_MS)) {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (!isClosedConnection(error) || performance.now() > until) throw error
      await delay(waitMs)
    }
  }
}

function isClosedConnection(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined
  if (!(cause instanceof Error) || !('code' in cause)) return false
  return cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET'
}
