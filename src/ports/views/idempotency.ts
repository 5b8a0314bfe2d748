/** A longer answer is not kept: its request runs again if resent. */
export const MAX_ANSWER_BYTES = 8_192
/** How many answers are kept: the oldest is dropped for one more. */
export interface IdempotencyBounds {
  perClient: number
  inAll: number
}

/** 1 MiB per client and 256 MiB in all if every answer has the maximum length. */
export const IDEMPOTENCY_BOUNDS: IdempotencyBounds = { perClient: 128, inAll: 32_768 }

/**
 * Answers kept under a client's Idempotency-Key for 24 hours (docs/design/orders.md#formats), or
 * until later ones replace them. A client is stored only as a hash. `scope` is (route, path id,
 * client address, key); `bodyHash` detects a different body under it.
 */
export interface IdempotencyStore {
  begin(scope: string, client: string, bodyHash: string, nowMs: number): Promise<IdempotencyClaim>
  /** Keeps the answer (at most `MAX_ANSWER_BYTES`) and ends the claim. */
  keep(scope: string, answer: IdempotentAnswer, nowMs: number): Promise<void>
  /** Ends the claim and keeps nothing: 429, 503, 504, too large, or the connection is gone. */
  release(scope: string): Promise<void>
}

export type IdempotencyClaim =
  | { status: 'new' }
  | { status: 'in-use' }
  | { status: 'other-body' }
  | { status: 'replay'; answer: IdempotentAnswer }

export interface IdempotentAnswer {
  statusCode: number
  headers: Record<string, string>
  body: string
}
