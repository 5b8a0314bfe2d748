/** One key-value pair of a map (BIP174). */
export interface Pair {
  type: number
  /** Type and key data. */
  key: Uint8Array
  value: Uint8Array
}

/** A PSBT split into its maps; interpreting the values is left to the parsers. */
export interface PsbtMaps {
  version: 0 | 2
  global: Pair[]
  inputs: Pair[][]
  outputs: Pair[][]
}
