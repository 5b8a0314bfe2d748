import type { ErrorCode } from '../generated/api.ts'
import { MarketClientError } from './client-errors.ts'

/** What an answer says of its failure. */
export interface Failure {
  status: number
  /** From the list of docs/errors.md, to which a later release may add; null: pairing and circles have none. */
  code: ErrorCode | (string & {}) | null
  /** Names the request in the service's log. */
  requestId: string | null
  /** Seconds to wait, as the answer says; null: it says nothing. */
  retryAfter: number | null
  /** The parameter, or the path of the field in the body, that the first reason is about; null: none. */
  param: string | null
  /** The path of the page that describes the operation; null: the answer names none. */
  docs: string | null
  /** The exact reasons; at least one. */
  messages: readonly string[]
  /** The JSON of the answer, or its text. */
  body: unknown
}

/** The service answered with a status that is no success. Each family has a class of its own. */
export abstract class ApiError extends MarketClientError implements Failure {
  readonly status: number
  readonly code: Failure['code']
  readonly requestId: string | null
  readonly retryAfter: number | null
  readonly param: string | null
  readonly docs: string | null
  readonly messages: readonly string[]
  readonly body: unknown

  constructor(failure: Failure) {
    super(failure.messages.join('; '))
    this.status = failure.status
    this.code = failure.code
    this.requestId = failure.requestId
    this.retryAfter = failure.retryAfter
    this.param = failure.param
    this.docs = failure.docs
    this.messages = failure.messages
    this.body = failure.body
  }
}

/** 400 and every other 4xx without a class: the request must be mended, or what it asks for is refused. */
export class BadRequestError extends ApiError {
  override name = 'BadRequestError'
}

/** 401 and 403: an operator's credentials are missing or wrong. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError'
}

/** 404. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 409: a request with the same Idempotency-Key is still running. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** 429: come again after `retryAfter` seconds. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
}

/** 408 and 504: something was not done in time; `messages` name the order that can be read later. */
export class LateError extends ApiError {
  override name = 'LateError'
}

/** 502 and 503: the service, or what it depends on, is away. */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError'
}

/** The 503 of a verified read. A state, not a fault: keep the last verified value. */
export class VerificationUnavailableError extends UnavailableError {
  override name = 'VerificationUnavailableError'
}

/** Every other 5xx: a defect, which no repetition mends. Report `requestId`. */
export class ServiceDefectError extends ApiError {
  override name = 'ServiceDefectError'
}
