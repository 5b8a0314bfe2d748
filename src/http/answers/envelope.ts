import { STATUS_CODES } from 'node:http'
import { portRefusal, RefusalError } from '../../gateway/refusal.ts'
import type { ErrorCode, ErrorResponse } from '../../schemas/api/errors.ts'
import { BODY_BYTES } from '../requests/body-bytes.ts'

/** Spec section 7: the one shape of every failure. */
export function envelope(refusal: RefusalError, requestId: string): ErrorResponse {
  const [only, ...more] = refusal.reasons
  return {
    statusCode: refusal.statusCode,
    error: STATUS_CODES[refusal.statusCode] ?? 'Error',
    message: only !== undefined && more.length === 0 ? only : [...refusal.reasons],
    requestId,
    code: refusal.code,
  }
}

/** Framework refusals in this API's words: the framework's own text names internals. */
const FRAMEWORK: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'PAYLOAD_TOO_LARGE',
    `the body is larger than ${BODY_BYTES.any} bytes (of a preflight or an inspection: ${BODY_BYTES.preflight}, of a batch: ${BODY_BYTES.batch})`,
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE', 'the body must be application/json'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BAD_REQUEST',
    'the body is not as long as Content-Length says',
  ],
  FST_ERR_BAD_URL: ['NOT_FOUND', 'there is no such path: it is not percent-encoded UTF-8'],
  FST_ERR_HANDLER_TIMEOUT: ['OVERLOADED', 'there was no answer in time: try again'],
  FST_ERR_MAX_PARAM_LENGTH: ['URI_TOO_LONG', 'the path is too long'],
}

/** Any error as a refusal: an unforeseen one is INTERNAL, and its text goes only to the log. */
export function httpRefusalOf(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error
  const away = portRefusal(error)
  if (away) return away
  const code = field(error, 'code')
  const statusCode = field(error, 'statusCode')
  const known = typeof code === 'string' ? FRAMEWORK[code] : undefined
  if (known) return new RefusalError(known[0], known[1], { cause: error })
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new RefusalError('BAD_REQUEST', 'the request could not be read', { cause: error })
  }
  return new RefusalError('INTERNAL', 'internal error: the request id names it in the log', {
    cause: error,
  })
}

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
