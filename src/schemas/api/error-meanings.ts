import type { ErrorCode } from './errors.ts'

/** When each code is returned, in one line: for docs/errors.md and the API description. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST:
    'the bytes are not HTTP, or the body is not JSON that every reader understands alike',
  VALIDATION_FAILED: 'fields are missing, unknown or not what they must be: all are named',
  INVALID_CURSOR:
    'the cursor is not one of this service, or belongs to another sort or other filters',
  OFFSET_NOT_SUPPORTED: 'a list was asked for with `offset`: paging is by cursor',
  INVALID_PSBT: 'the text is no PSBT that two parsers accept',
  PSBT_TOO_LARGE: 'the PSBT has more bytes, inputs, outputs or fields than an order may have',
  INVALID_EVENT: 'the event is not of kind 802, or its id, signature or content is not true',
  WRONG_NETWORK: 'the event names another network',
  ORDER_NOT_LIVE: 'only a LIVE order releases its artifact: the message names the state',
  ORDER_NOT_WITHDRAWABLE:
    'a settled or spent order cannot be withdrawn; nor can one by its seller before the node has told the script of the offered output',
  ORDER_NOT_READY:
    'the order is LIVE, but a quote or a preflight is not for it: a bid, a market without a PSBT handoff, a PSBT that is not raceable',
  QUOTE_REFUSED:
    'a quote cannot be made of what the buyer named; each reason names the outpoint or the field',
  BUILD_REFUSED:
    'nothing can be listed as the request says; each reason names the field or the output',
  PUBLISH_REFUSED:
    'the PSBT is not the signed half of a seller, or its order would not be LIVE: the message names the reason; nothing is stored',
  ORDER_WITHDRAWN:
    'what is published is the authorisation of a withdrawn order: build it again and sign that',
  INVALID_TRANSACTION:
    'a preflight of bytes that could not be broadcast: no transaction, too large, an input that nobody signed',
  INVALID_PROOF:
    'the address is not that of the offered output, or the BIP-322 proof is not valid for a challenge that is not expired',
  UNSUPPORTED_PROOF:
    'this service cannot judge the proof: its format (`pof`), a lock that may not be open yet, or a script that is spent without a witness',
  TOO_MANY_CLAIMS: 'the order has as many unjudged wrappers as are kept for one',
  IDEMPOTENCY_KEY_REUSED: 'the key was used with another body',
  INVALID_IDEMPOTENCY_KEY: 'the key is not 1 to 255 visible ASCII characters, given once',
  UNAUTHORIZED: 'operator credentials are missing, wrong or not configured',
  NOT_FOUND: 'there is no such path',
  ORDER_NOT_FOUND: 'there is no order with this id, be it malformed or unknown',
  ORDER_HIDDEN:
    'an operator of this service hides the order: what is signed, and what is made of it, is not released',
  METHOD_NOT_ALLOWED: 'the path has other methods: `Allow` lists them',
  REQUEST_TIMEOUT: 'the request took too long to arrive',
  IDEMPOTENCY_KEY_IN_USE: 'a request with this key is still running',
  PAYLOAD_TOO_LARGE: 'the body is larger than 1 MiB',
  URI_TOO_LONG: 'the path is longer than 1 kB, or the query than 8 kB',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not `application/json` in UTF-8, or is compressed',
  MARKET_RATE_LIMITED: 'the client has used up its requests of this minute',
  HEADERS_TOO_LARGE: 'the headers are larger than 16 kB',
  INTERNAL: 'a defect of the service: the request id names it in the log',
  MARKET_DISABLED: '`MARKET_ENABLED` is false',
  NOT_READY: 'only `/readyz`: why this process should get no traffic',
  NODE_UNAVAILABLE: 'the full node is away, starting or on another network',
  ASSET_INDEX_UNAVAILABLE: 'the asset index is away, behind or reorged',
  STORAGE_UNAVAILABLE: 'the store takes no writes now: nothing was half-written',
  HISTORY_UNAVAILABLE: 'the activity log is away: nothing of it is lost',
  OVERLOADED: 'the service sheds load',
  SHUTTING_DOWN: 'this process is about to end',
  STILL_BEING_VERIFIED: 'no verdict in time: the message names the order, which can be read later',
}
