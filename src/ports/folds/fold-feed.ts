import type { Topic } from '../../schemas/log.ts'
import type { BlockHash, BlockRef } from '../../schemas/scalars.ts'

/**
 * A fold of blocks as records of a compacted topic. `Mark` is what is kept of each record, so that
 * it can be retracted when the fold no longer has its block.
 */
export interface FoldFeed<Mark extends BlockRef> {
  readonly topic: Topic
  /** The record's key; another block may use it once this one was retracted. */
  keyOf(mark: Mark): string
  retractionOf(mark: Mark): unknown
  /** Everything that `query` reads is from one moment of the fold. */
  read<T>(query: (moment: FoldMoment<Mark>) => T): T
}

export interface FoldMoment<Mark extends BlockRef> {
  /** Null if no block is folded at this height. */
  hashAt(height: number): BlockHash | null
  /** Records above a height, lowest first; blocks without one are left out. */
  above(height: number, limit: number): readonly FoldRecord<Mark>[]
}

export interface FoldRecord<Mark extends BlockRef> {
  mark: Mark
  /** Built on demand: it may contain a signature. */
  record(): unknown
}
