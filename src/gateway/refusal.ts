import { ERROR_STATUS, type ErrorCode } from '../schemas/api/errors.ts'

/** Seconds after which a client may retry when an authority is unavailable. */
const AUTHORITY_RETRY_SECONDS = 5

/**
 * A refusal with its exact reason. Thrown by use cases and plugins alike, and turned into the
 * envelope of spec section 7 in one place. It has no stack trace: strangers cause thousands a second.
 */
export class RefusalError extends Error {
  override name = 'RefusalError'
  readonly code: ErrorCode
  readonly statusCode: number
  /** Every problem found, each naming what it is about. */
  readonly reasons: readonly string[]
  readonly retryAfterSeconds: number | null

  constructor(
    code: ErrorCode,
    reasons: string | readonly string[],
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    const list = typeof reasons === 'string' ? [reasons] : reasons
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(list.join('; '), options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.statusCode = ERROR_STATUS[code]
    this.reasons = list
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (this.statusCode === 503 ? AUTHORITY_RETRY_SECONDS : null)
  }
}

/** Codes in the log are text: an unknown one becomes a client fault without a code of its own. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code)
