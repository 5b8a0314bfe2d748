import type { Circle, CircleState, Section, SectionRecords } from '../../schemas/api/circles.ts'
import type { BlockHash, BlockRef, Network, Txid } from '../../schemas/scalars.ts'
import { OperatorError } from '../base-errors.ts'

/**
 * The graph of the circles at its tip, with the data to undo every block. Reads are synchronous and
 * see committed data.
 */
export interface CircleStore extends GraphReader {
  /** Null before the first `keepSettings`. */
  settings(): CircleSettings | null
  keepSettings(settings: CircleSettings): Promise<void>
  /** The last block stored. */
  tip(): BlockRef | null
  hashAt(height: number): BlockHash | null
  circle(txid: Txid): Circle | null
  /** Every record of a section with its key, in canonical order. */
  records<S extends Section>(section: S): Iterable<{ key: string; record: SectionRecords[S] }>
  /** The states after blocks that changed the state, the newest first, from below a height on. */
  states(limit: number, below?: number): readonly CircleState[]
  /** The states after blocks above a height that changed the state, the lowest first. */
  statesAbove(height: number, limit: number): readonly MadeState[]
  /**
   * Keeps consecutive blocks, the first on top of the tip: all of them, durable once this resolves,
   * or none. Throws `StorageUnavailableError`.
   */
  connect(blocks: readonly FoldedCircles[]): Promise<void>
  /** What `disconnect` restores: `after` is the record as it was before the tip's block. */
  undo(): readonly RecordChange[]
  /** Undoes the tip; durable and atomic like `connect`. */
  disconnect(): Promise<void>
}

/** Reads one record by its key: see src/circles/record-keys.ts. */
export interface GraphReader {
  get<S extends Section>(section: S, key: string): SectionRecords[S] | null
}

/** What the graph is a function of, besides the chain. */
export interface CircleSettings {
  network: Network
  startHeight: number
}

export interface FoldedCircles extends BlockRef {
  /** One per key. Empty if the block changed nothing. */
  changes: readonly RecordChange[]
  /** Null if the block changed nothing. */
  state: CircleState | null
}

/** A record that was created (`before` null), changed, or removed (`after` null). */
export type RecordChange = {
  [S in Section]: {
    section: S
    key: string
    before: SectionRecords[S] | null
    after: SectionRecords[S] | null
  }
}[Section]

/** A state with the block that made it. */
export interface MadeState {
  block: BlockRef
  state: CircleState
}

/** The store was made with other settings, or is damaged: the message names the cure. */
export class CirclesRefusedError extends OperatorError {
  override name = 'CirclesRefusedError'
}
