import type { Circle, CircleState, Lineage, Shard } from '../schemas/circles.ts'

/** Reads of the circles, each of what is committed. */
export interface CircleViews {
  /** The whole state at one moment: it stays as it is while later blocks come. */
  snapshot(): SnapshotBytes
  /** The state at the tip. */
  state(): CircleState
  /** Of the blocks that changed the state, the newest first. */
  states(limit: number): readonly CircleState[]
  /** Ids and txids in lowercase hex. */
  lineage(lineageId: string): Lineage | null
  circle(txid: string): Circle | null
  /** `txid:vout`, without leading zeros. */
  shard(outpoint: string): Shard | null
}

export interface SnapshotBytes {
  /** `stateHash` is the SHA-256 of the pieces, one after another. */
  state: CircleState
  /** The canonical bytes of the snapshot (RFC 8785). */
  pieces: readonly Uint8Array[]
  /** Bytes of all pieces. */
  length: number
}
