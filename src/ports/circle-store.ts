import type { Circle, CircleState, Section, SectionRecords } from '../schemas/circles.ts'
import type { BlockRef, Network } from '../schemas/scalars.ts'

/**
 * The graph of the circles as it is after its tip, with what takes every block back. Reads are at
 * once, of what is committed.
 */
export interface CircleStore extends GraphReader {
  /** Null before the first `keepSettings`. */
  settings(): CircleSettings | null
  keepSettings(settings: CircleSettings): Promise<void>
  /** The last block kept. */
  tip(): BlockRef | null
  hashAt(height: number): string | null
  circle(txid: string): Circle | null
  /** Every record of a section with its key, in canonical order. */
  records<S extends Section>(section: S): Iterable<{ key: string; record: SectionRecords[S] }>
  /** Of the blocks that changed the state, the newest first. */
  states(limit: number): readonly CircleState[]
  /** Of the blocks above a height that changed the state, the lowest first. */
  statesAbove(height: number, limit: number): readonly MadeState[]
  /**
   * Keeps consecutive blocks, the first on top of the tip: all of them, durable once this resolves,
   * or none. Throws `StorageUnavailable`.
   */
  connect(blocks: readonly FoldedBlock[]): Promise<void>
  /** What `disconnect` puts back: `after` is the record as it was before the tip's block. */
  undo(): readonly RecordChange[]
  /** Takes the tip back; durable and whole as `connect`. */
  disconnect(): Promise<void>
}

/** Reads one record by its key: see src/circles/record-keys.ts. */
export interface GraphReader {
  get<S extends Section>(section: S, key: string): SectionRecords[S] | null
}

/** What the graph is a function of, beside the chain. */
export interface CircleSettings {
  network: Network
  startHeight: number
}

export interface FoldedBlock extends BlockRef {
  /** One a key. Empty where the block changed nothing. */
  changes: readonly RecordChange[]
  /** Null where the block changed nothing. */
  state: CircleState | null
}

/** A record that was made (`before` null), altered, or taken away (`after` null). */
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

/** The store was made with other settings, or is not what it says: the message names the cure. */
export class CirclesRefused extends Error {
  override name = 'CirclesRefused'
}
