import { setTimeout as delay } from 'node:timers/promises'

/** Longer than a service of a test is overloaded. */
const PATIENCE_MS = 20_000
const STEP_MS = 50
const MAX_WAIT_MS = 500

/**
 * A busy service sheds a request: by 503 OVERLOADED, or on routes that have no status for it by
 * closing the connection (ADR 48), as a server may also close an idle one while a request is in
 * flight. The request, which must be safe to repeat (RFC 9110, 9.2.2), is sent again, after a
 * longer pause each time; the last answer or error is returned or thrown.
 */
export async function fetchUnlessShed(url: string, init: RequestInit = {}): Promise<Response> {
  const until = performance.now() + PATIENCE_MS
  for (let waitMs = 0; ; waitMs = Math.min(waitMs + STEP_MS, MAX_WAIT_MS)) {
    const isLast = performance.now() > until
    try {
      const answer = await fetch(url, init)
      if (isLast || !(await isOverloaded(answer))) return answer
    } catch (error) {
      if (isLast || !isClosedConnection(error)) throw error
    }
    await delay(waitMs)
  }
}

/** The body stays unread. */
const isOverloaded = async (answer: Response): Promise<boolean> =>
  answer.status === 503 && (await answer.clone().text()).includes('"OVERLOADED"')

function isClosedConnection(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : undefined
  if (!(cause instanceof Error) || !('code' in cause)) return false
  return cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET'
}
