import { type Part, UnavailableError } from '../ports/base-errors.ts'
import { BusyError } from '../runtime/lanes.ts'
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

const BUSY_RETRY_SECONDS = 1

/** The refusals for unavailable parts that requests use. */
const REFUSALS: Partial<Record<Part, { code: ErrorCode; message: (why: string) => string }>> = {
  node: { code: 'NODE_UNAVAILABLE', message: (why) => `the node gives no answer: ${why}` },
  index: { code: 'ASSET_INDEX_UNAVAILABLE', message: (why) => `the index gives no answer: ${why}` },
  store: { code: 'STORAGE_UNAVAILABLE', message: (why) => `the store is unavailable: ${why}` },
  history: {
    code: 'HISTORY_UNAVAILABLE',
    message: () => 'the activity log is unavailable: no entries are lost',
  },
}

/** A queue that is full, or a port's failure to answer now, as a refusal; null for any other error. */
export function portRefusal(error: unknown): RefusalError | null {
  if (error instanceof BusyError) {
    const message = `too many requests are waiting: ${error.message}`
    return new RefusalError('OVERLOADED', message, { retryAfterSeconds: BUSY_RETRY_SECONDS })
  }
  if (!(error instanceof UnavailableError)) return null
  const refusal = REFUSALS[error.part]
  if (!refusal) return null
  return new RefusalError(refusal.code, refusal.message(error.reason), { cause: error })
}
