/** Limits of a PSBT: a larger one is refused before anything is built from it. */
export interface PsbtLimits {
  /** Decoded. */
  bytes: number
  inputs: number
  outputs: number
  /** Key-value pairs of all maps together. */
  pairs: number
  /** Public keys in fields of their own: a parser computes a square root for each. */
  publicKeys: number
  /** Final witness items and previous transaction parts: each is an object to a parser. */
  items: number
}

/** The limits of an order (docs/design/orders.md#formats). No real order is near the last three. */
export const ORDER_LIMITS: PsbtLimits = {
  bytes: 65_536,
  inputs: 64,
  outputs: 64,
  pairs: 512,
  publicKeys: 64,
  items: 4_096,
}
