import type { FoldFeed } from '../../../src/ports/folds/fold-feed.ts'
import type { PublishedBlock, PublishedBlocks } from '../../../src/ports/folds/published-blocks.ts'
import type { NewRecord } from '../../../src/ports/log/event-log.ts'
import { TOPICS } from '../../../src/schemas/log.ts'
import type { BlockRef } from '../../../src/schemas/scalars.ts'
import { toBlockHash } from '../ids.ts'

/** A block's hash is its path from the first block, one digit a block: what it changed, 0 to 9. */
export interface ToyMark extends BlockRef {
  revision: number
}

export const connected = ({ hash }: ToyMark) => ({ kind: 'connected', hash })
const disconnected = ({ hash }: ToyMark) => ({ kind: 'disconnected', hash })

/** A chain whose blocks with a change have a record, under the sum of the changes. */
export class ToyFold {
  #way = ''

  connect(digits: string): void {
    this.#way += digits
  }

  /** What was disconnected, for `connect`. */
  disconnect(count: number): string {
    const left = Math.max(0, this.#way.length - count)
    const gone = this.#way.slice(left)
    this.#way = this.#way.slice(0, left)
    return gone
  }

  get height(): number {
    return this.#way.length - 1
  }

  /** All blocks that have a record. */
  marks(): ToyMark[] {
    let revision = 0
    return [...this.#way].flatMap((digit, height) => {
      revision += Number(digit)
      return digit === '0'
        ? []
        : { height, hash: toBlockHash(this.#way.slice(0, height + 1)), revision }
    })
  }

  readonly feed: FoldFeed<ToyMark> = {
    topic: TOPICS.states,
    keyOf: ({ revision }) => String(revision),
    retractionOf: disconnected,
    read: (query) =>
      query({
        hashAt: (height) =>
          height > this.height ? null : toBlockHash(this.#way.slice(0, height + 1)),
        above: (height, limit) =>
          this.marks()
            .filter((mark) => mark.height > height)
            .slice(0, limit)
            .map((mark) => ({ mark, record: () => connected(mark) })),
      }),
  }
}

/** The port in a map. */
export class MemoryPublishedBlocks implements PublishedBlocks<ToyMark> {
  readonly #blocks = new Map<number, PublishedBlock<ToyMark>>()

  newest(): Iterable<PublishedBlock<ToyMark>> {
    const blocks = [...this.#blocks.values()]
    return blocks.sort((one, other) => other.mark.height - one.mark.height)
  }

  async put(blocks: readonly PublishedBlock<ToyMark>[]): Promise<void> {
    for (const block of blocks) this.#blocks.set(block.mark.height, block)
  }

  async forget(marks: readonly ToyMark[]): Promise<void> {
    for (const { height } of marks) this.#blocks.delete(height)
  }
}

/** What compaction leaves: the last value of each key. */
export const compacted = (records: readonly NewRecord[]): Map<string, unknown> =>
  new Map(records.map(({ key, value }) => [key, value]))
