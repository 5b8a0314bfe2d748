import type { AssetClaim } from '../../schemas/order.ts'
import type { OutpointText, Txid } from '../../schemas/scalars.ts'

/** What the seller declared at a build and a published PSBT does not carry. */
export interface BuiltAsk {
  /** The offered output, `txid:vout`. */
  outpoint: OutpointText
  protocolId: string
  token: string
  quotedPriceSats: string
  asset?: AssetClaim
}

/**
 * Builds, by the txid of the unsigned transaction, remembered for a day: so a wallet that drops
 * unknown fields loses nothing. Beyond the bounds the oldest is dropped: its publish is then
 * treated as that of a PSBT never built here.
 */
export interface BuiltAsks {
  /**
   * Remembers a build from now on; false if another one is remembered under the same transaction.
   * Repeating the same one renews it. Durable when it resolves.
   */
  remember(unsignedTxid: Txid, built: BuiltAsk, nowMs: number): Promise<boolean>
  find(unsignedTxid: Txid, nowMs: number): Promise<BuiltAsk | null>
}

export interface BuiltAskBounds {
  retentionMs: number
  atOneOutput: number
  inAll: number
}

export const BUILT_ASK_BOUNDS: BuiltAskBounds = {
  retentionMs: 24 * 3_600_000,
  atOneOutput: 64,
  inAll: 100_000,
}
