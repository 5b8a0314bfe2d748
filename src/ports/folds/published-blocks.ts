import type { BlockRef } from '../../schemas/scalars.ts'

/** A block whose record is, or may be, the last one of its key in a topic. */
export interface PublishedBlock<Mark extends BlockRef> {
  mark: Mark
  /** False: its record, or its retraction, is about to be appended, or was. */
  isSettled: boolean
}

/**
 * What was published of a fold to one topic of one log, by height. Writes are all or none, durable
 * when they resolve; they throw `StorageUnavailableError`. Reads are synchronous.
 */
export interface PublishedBlocks<Mark extends BlockRef> {
  /** By height, highest first. */
  newest(): Iterable<PublishedBlock<Mark>>
  put(blocks: readonly PublishedBlock<Mark>[]): Promise<void>
  forget(marks: readonly Mark[]): Promise<void>
}
