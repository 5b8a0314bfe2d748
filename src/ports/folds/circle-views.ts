import type { Circle, CircleState, Lineage, Shard } from '../../schemas/api/circles.ts'
import type { OutpointText, Txid } from '../../schemas/scalars.ts'

/** Reads of the circles; each sees committed data. */
export interface CircleViews {
  /** The whole state at one moment: later blocks do not change it. */
  snapshot(): SnapshotBytes
  /** The state at the tip. */
  state(): CircleState
  /** The states after blocks that changed the state, the newest first, from below a height on. */
  states(limit: number, below?: number): readonly CircleState[]
  /** Ids and txids in lowercase hex. */
  lineage(lineageId: string): Lineage | null
  circle(txid: Txid): Circle | null
  /** `txid:vout`, without leading zeros. */
  shard(outpoint: OutpointText): Shard | null
}

export interface SnapshotBytes {
  /** `stateHash` is the SHA-256 of the pieces, concatenated. */
  state: CircleState
  /** The canonical bytes of the snapshot (RFC 8785). */
  pieces: readonly Uint8Array[]
  /** Total bytes of all pieces. */
  length: number
}
