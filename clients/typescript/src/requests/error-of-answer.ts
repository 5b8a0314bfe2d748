import {
  type ApiError,
  BadRequestError,
  ConflictError,
  type Failure,
  LateError,
  NotFoundError,
  RateLimitedError,
  ServiceDefectError,
  UnauthorizedError,
  UnavailableError,
  VerificationUnavailableError,
} from '../errors/api-errors.ts'
import type { Answer } from './answer.ts'
import { secondsOf } from './waits.ts'

const LATE = [408, 504]
const AWAY = [502, 503]
const UNAUTHORIZED = [401, 403]
/** Of an answer that is not JSON. */
const SHOWN_CHARACTERS = 200

/** The error of an answer that is no success. @param now for a Retry-After that is a date. */
export function errorOfAnswer(answer: Omit<Answer, 'bytes'>, now: Date): ApiError {
  const { status, headers } = answer
  const body = bodyOf(answer.text)
  const failure: Failure = {
    status,
    code: textIn(body, 'code'),
    requestId: headers.get('x-request-id') ?? textIn(body, 'requestId'),
    retryAfter: secondsOf(headers.get('retry-after'), now),
    param: headers.get('error-param'),
    docs: helpIn(headers.get('link')),
    messages: messagesOf(body, status),
    body,
  }
  return new (familyOf(failure))(failure)
}

const helpIn = (link: string | null): string | null =>
  /<([^>]*)>; rel="help"/.exec(link ?? '')?.[1] ?? null

function familyOf({ status, body }: Failure): new (failure: Failure) => ApiError {
  if (status === 503 && textIn(body, 'status') === 'verification_unavailable')
    return VerificationUnavailableError
  if (UNAUTHORIZED.includes(status)) return UnauthorizedError
  if (LATE.includes(status)) return LateError
  if (AWAY.includes(status)) return UnavailableError
  if (status === 404) return NotFoundError
  if (status === 409) return ConflictError
  if (status === 429) return RateLimitedError
  return status >= 500 ? ServiceDefectError : BadRequestError
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function valueIn(body: unknown, key: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, key) : undefined
}

function textIn(body: unknown, key: string): string | null {
  const value = valueIn(body, key)
  return typeof value === 'string' ? value : null
}

function messagesOf(body: unknown, status: number): readonly string[] {
  const message = valueIn(body, 'message') ?? valueIn(body, 'error')
  const messages = [message].flat().filter((one) => typeof one === 'string')
  if (messages.length > 0) return messages
  const shown = typeof body === 'string' ? body.slice(0, SHOWN_CHARACTERS).trim() : ''
  return [shown === '' ? `status ${status}` : `status ${status}: ${shown}`]
}
