import type { Topic } from '../schemas/log.ts'
import type { BlockRef } from '../schemas/scalars.ts'

/**
 * A fold of blocks as records of a compacted topic. `Mark` is what is kept of each record, so that
 * it can be taken back when the fold does not have its block any more.
 */
export interface FoldFeed<Mark extends BlockRef> {
  readonly topic: Topic
  /** Of the record; may be that of another block once this one was taken back. */
  keyOf(mark: Mark): string
  takenBack(mark: Mark): unknown
  /** All that `query` sees is of one moment of the fold. */
  read<T>(query: (moment: FoldMoment<Mark>) => T): T
}

export interface FoldMoment<Mark extends BlockRef> {
  /** Null where no block is folded. */
  hashAt(height: number): string | null
  /** Above a height, the lowest first; blocks without a record are left out. */
  above(height: number, limit: number): readonly Telling<Mark>[]
}

export interface Telling<Mark extends BlockRef> {
  mark: Mark
  /** Made when it is needed: a signature may be in it. */
  record(): unknown
}
