import { z } from 'zod'

/** Every code of a refusal, with its HTTP status. Closed: clients may switch on it. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  VALIDATION_FAILED: 400,
  INVALID_CURSOR: 400,
  OFFSET_NOT_SUPPORTED: 400,
  INVALID_PSBT: 400,
  PSBT_TOO_LARGE: 400,
  INVALID_EVENT: 400,
  WRONG_NETWORK: 400,
  ORDER_NOT_LIVE: 400,
  ORDER_NOT_READY: 400,
  ORDER_NOT_PROVED: 400,
  QUOTE_REFUSED: 400,
  BUILD_REFUSED: 400,
  SELF_SPEND_REFUSED: 400,
  OPERATION_REFUSED: 400,
  PUBLISH_REFUSED: 400,
  ORDER_WITHDRAWN: 400,
  INVALID_TRANSACTION: 400,
  TOO_MANY_CLAIMS: 400,
  ORDER_NOT_WITHDRAWABLE: 400,
  INVALID_PROOF: 400,
  UNSUPPORTED_PROOF: 400,
  IDEMPOTENCY_KEY_REUSED: 400,
  INVALID_IDEMPOTENCY_KEY: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  ORDER_NOT_FOUND: 404,
  ORDER_HIDDEN: 404,
  CONTENT_NOT_FOUND: 404,
  CONTENT_NOT_SHOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_KEY_IN_USE: 409,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  HEADERS_TOO_LARGE: 431,
  MARKET_RATE_LIMITED: 429,
  INTERNAL: 500,
  MARKET_DISABLED: 503,
  NOT_READY: 503,
  NODE_UNAVAILABLE: 503,
  ASSET_INDEX_UNAVAILABLE: 503,
  STORAGE_UNAVAILABLE: 503,
  HISTORY_UNAVAILABLE: 503,
  WEBHOOKS_NOT_CONFIGURED: 503,
  OVERLOADED: 503,
  SHUTTING_DOWN: 503,
  STILL_BEING_VERIFIED: 504,
} as const
export type ErrorCode = keyof typeof ERROR_STATUS

/** Spec section 7: the one shape of every failure. */
export const ErrorResponse = z.strictObject({
  statusCode: z.int().describe('the HTTP status'),
  error: z.string().describe('the name of the HTTP status'),
  message: z
    .union([z.string(), z.array(z.string())])
    .describe('the exact reason; several problems are a list, each naming its field'),
  requestId: z.string().exactOptional().describe('id of the request, as in `X-Request-Id`'),
  code: z
    .string()
    .exactOptional()
    .describe('code of the refusal, from a closed list: see docs/errors.md'),
})
export type ErrorResponse = z.infer<typeof ErrorResponse>
