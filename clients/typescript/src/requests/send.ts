import {
  ApiError,
  ConflictError,
  LateError,
  RateLimitedError,
  UnavailableError,
  VerificationUnavailableError,
} from '../errors/api-errors.ts'
import { NetworkError, TimeoutError, UnexpectedAnswerError } from '../errors/client-errors.ts'
import type { Answer } from './answer.ts'
import { attempt, type OutgoingRequest } from './attempt.ts'
import { errorOfAnswer } from './error-of-answer.ts'
import type { RetryBounds, Settings } from './options.ts'
import { waitAfter } from './waits.ts'

const JSON_TYPE = /^application\/([a-z.-]+\+)?json\b/i

/** 503s that last longer than a call: repeating the call does not help. */
const STANDING = ['MARKET_DISABLED', 'NOT_READY']

/**
 * Sends a request until it is answered with success, and repeats what may pass by itself: no answer,
 * 408, 409 for a key in use, 429, 502, 503 and 504. All requests are safe to repeat: reads, and POSTs
 * under one Idempotency-Key. No wait is begun that would end after the bound of the whole call.
 */
export async function send(
  request: OutgoingRequest,
  settings: Settings,
  {
    bounds,
    signal,
    type = JSON_TYPE,
  }: { bounds: RetryBounds; signal?: AbortSignal | undefined; type?: RegExp | undefined },
): Promise<Answer> {
  const { timing } = settings
  const begun = timing.now()
  const leftMs = () => bounds.totalMs - (timing.now() - begun)
  for (let sent = 1; ; sent += 1) {
    try {
      const limitMs = Math.min(bounds.attemptMs, leftMs())
      return successOf(await attempt(request, settings, { limitMs, signal }), settings, type)
    } catch (error) {
      if (sent >= bounds.attempts || !mayPass(error)) throw error
      const retryAfter = error instanceof ApiError ? error.retryAfter : null
      const waitMs = waitAfter(sent, { retryAfter, timing })
      if (waitMs >= leftMs()) throw error
      await timing.sleep(waitMs, signal)
    }
  }
}

function successOf(answer: Answer, { timing }: Settings, wanted: RegExp): Answer {
  const { status, headers } = answer
  if (status < 200 || status > 299) throw errorOfAnswer(answer, timing.date())
  const type = headers.get('content-type') ?? ''
  if (!wanted.test(type)) {
    const what = wanted === JSON_TYPE ? 'JSON' : 'a file'
    throw new UnexpectedAnswerError(`an answer of the type ${type || 'nothing'}, not ${what}`)
  }
  return answer
}

/** Could the same request succeed in a moment? */
export function mayPass(error: unknown): boolean {
  if (error instanceof NetworkError || error instanceof TimeoutError) return true
  // The service is ready or not, and pipelines agree or not, for longer than a call lasts.
  if (error instanceof VerificationUnavailableError) return false
  if (error instanceof ConflictError) return error.code === 'IDEMPOTENCY_KEY_IN_USE'
  if (error instanceof UnavailableError)
    return !STANDING.includes(error.code ?? '') && !isReadiness(error.body)
  return error instanceof RateLimitedError || error instanceof LateError
}

/** The 503 of `/ready`: the readiness snapshot. */
const isReadiness = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'ready' in body
