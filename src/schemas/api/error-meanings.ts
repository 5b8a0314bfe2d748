import type { ErrorCode } from './errors.ts'

/** When each code is returned, in one line: for docs/errors.md and the API description. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'the request is not valid HTTP, or the body is not unambiguous JSON',
  VALIDATION_FAILED: 'fields are missing, unknown or invalid: the message names all of them',
  INVALID_CURSOR:
    'the cursor was not issued by this service, or belongs to another sort or other filters',
  OFFSET_NOT_SUPPORTED: 'a list was requested with `offset`: use `cursor`',
  INVALID_PSBT: 'the text is not a PSBT that both parsers accept',
  PSBT_TOO_LARGE: 'the PSBT has more bytes, inputs, outputs or fields than an order may have',
  INVALID_EVENT: 'the event is not of kind 802, or its id, signature or content is invalid',
  WRONG_NETWORK: 'the event, or the address, is of another network',
  ORDER_NOT_LIVE:
    'the artifact is released only while the order is LIVE: the message names its state',
  ORDER_NOT_WITHDRAWABLE:
    'a settled or spent order cannot be withdrawn; its seller cannot withdraw it before the node has reported the script of the offered output',
  ORDER_NOT_PROVED:
    'nobody has proved the order yet: the log has nothing of it to make a bundle of',
  ORDER_NOT_READY:
    'the order is LIVE, but cannot be quoted or preflighted: a bid, a market without a PSBT handoff, or a PSBT that is not raceable',
  QUOTE_REFUSED:
    'no quote is possible with the given inputs; each reason names the outpoint or the field',
  BUILD_REFUSED: 'the requested listing is not possible; each reason names the field or the output',
  SELF_SPEND_REFUSED:
    'no self-spend is possible with the given inputs, or it would lose an asset; each reason names the outpoint or the field',
  OPERATION_REFUSED:
    'no such transaction is possible with the given outputs; each reason names the outpoint or the field',
  PUBLISH_REFUSED:
    'the PSBT is not the half that a seller signs, or its order would not be LIVE: the message names the reason; nothing is stored',
  ORDER_WITHDRAWN:
    'the published authorisation is that of a withdrawn order: build the listing again and sign that',
  INVALID_TRANSACTION:
    'the bytes could not be broadcast: not a transaction, too large, or with an unsigned input',
  INVALID_PROOF:
    'the address is not that of the offered output, or the BIP-322 proof is not valid for an unexpired challenge',
  UNSUPPORTED_PROOF:
    'this service cannot verify the proof: its format (`pof`), a lock that may not have expired, or a simple proof of a script that is spent without a witness',
  TOO_MANY_CLAIMS: 'the order already has the maximum number of unverified wrappers',
  IDEMPOTENCY_KEY_REUSED: 'the key was already used with another body',
  INVALID_IDEMPOTENCY_KEY: 'the key is not 1 to 255 visible ASCII characters, given once',
  UNAUTHORIZED:
    'the credentials of an operator, or the key of a customer, are missing, wrong or not configured',
  NOT_FOUND: 'the path does not exist',
  ORDER_NOT_FOUND: 'no order has this id, or the id is malformed',
  ORDER_HIDDEN:
    'an operator has hidden the order: its artifact, anything built from it, and its content are not released',
  CONTENT_NOT_FOUND:
    'no order here offers the inscription, as the index proved; or it has no content, or this service shows none',
  CONTENT_NOT_SHOWN:
    'the content is of a type or a size that is not shown, or not of the type that it claims: the message gives both',
  METHOD_NOT_ALLOWED: 'the path does not support this method: `Allow` lists the supported ones',
  REQUEST_TIMEOUT: 'the request took too long to arrive',
  IDEMPOTENCY_KEY_IN_USE: 'a request with this key is still running',
  PAYLOAD_TOO_LARGE:
    'the body is larger than 256 KiB (of a preflight or an inspection: 1 MiB; of a batch: 4 MiB, or 256 lines)',
  URI_TOO_LONG: 'the path is longer than 1 kB, or the query longer than 8 kB',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not `application/json` in UTF-8, or is compressed',
  RANGE_NOT_SATISFIABLE:
    'no byte is in the range asked for: `Content-Range` says how many there are',
  MARKET_RATE_LIMITED: 'the client, or the key, has used up its requests for this minute',
  HEADERS_TOO_LARGE: 'the headers are larger than 16 kB',
  INTERNAL: 'a bug in the service: find it in the log by the request id',
  MARKET_DISABLED: '`MARKET_ENABLED` is false',
  NOT_READY: '`/readyz` only: the message says why this process should get no traffic',
  NODE_UNAVAILABLE: 'the full node is unavailable, starting or on another network',
  ASSET_INDEX_UNAVAILABLE: 'the asset index is unavailable, behind or reorged',
  STORAGE_UNAVAILABLE:
    'the store cannot be used now, or lists are being loaded: nothing was written in part',
  HISTORY_UNAVAILABLE: 'the activity log is unavailable: no entries are lost',
  WEBHOOKS_NOT_CONFIGURED: 'no WEBHOOK_KEY is set, of which secrets are made',
  OVERLOADED: 'the service is overloaded',
  SHUTTING_DOWN: 'this process is shutting down',
  STILL_BEING_VERIFIED:
    'verification did not finish in time: the message names the order, which can be read later',
}
