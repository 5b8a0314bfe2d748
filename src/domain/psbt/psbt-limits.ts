/** What a PSBT may be: more is refused before anything is built from it. */
export interface PsbtLimits {
  /** Decoded. */
  bytes: number
  inputs: number
  outputs: number
  /** Key-value pairs of all maps together: each costs the parsers a point or a hash. */
  pairs: number
}

/** An order (design: Formats). */
export const ORDER_LIMITS: PsbtLimits = { bytes: 65_536, inputs: 64, outputs: 64, pairs: 1_024 }
