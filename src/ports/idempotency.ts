/**
 * Answers kept under a client's Idempotency-Key for 24 hours (design: Formats).
 * `scope` is (route, path id, client address, key); `bodyHash` tells another body under it.
 */
export interface IdempotencyStore {
  begin(scope: string, client: string, bodyHash: string, nowMs: number): Promise<IdempotencyClaim>
  /** Keeps the answer (at most 64 KiB) and ends the claim. */
  keep(scope: string, answer: KeptAnswer, nowMs: number): Promise<void>
  /** Ends the claim and keeps nothing: 429, 503, 504, too large, or the connection is gone. */
  release(scope: string): Promise<void>
}

export type IdempotencyClaim =
  | { status: 'new' }
  | { status: 'in-use' }
  | { status: 'other-body' }
  | { status: 'too-many' }
  | { status: 'replay'; answer: KeptAnswer }

export interface KeptAnswer {
  statusCode: number
  headers: Record<string, string>
  body: string
}
