import type { PublishedBlock, PublishedBlocks } from '../../../ports/folds/published-blocks.ts'
import type { Topic } from '../../../schemas/log.ts'
import type { BlockRef } from '../../../schemas/scalars.ts'
import type { LmdbStore } from '../lmdb/lmdb-store.ts'

const LAST_HEIGHT = Number.MAX_SAFE_INTEGER

/**
 * What was published to a topic, in an LMDB environment; closed by its opener. `logId` names the
 * log: a new log starts empty.
 */
export function openPublishedBlocks<Mark extends BlockRef>(
  store: LmdbStore,
  { topic, logId }: { topic: Topic; logId: string },
): PublishedBlocks<Mark> {
  const table = store.documents<PublishedBlock<Mark>, [string, string, number]>('published blocks')
  const keyOf = (height: number): [string, string, number] => [topic, logId, height]
  return {
    *newest() {
      // In reverse, `end` is exclusive.
      const range = { start: keyOf(LAST_HEIGHT), end: keyOf(-1), reverse: true }
      for (const { value } of table.getRange(range)) yield value
    },
    put: (blocks) =>
      store.writeGrouped(() => {
        for (const block of blocks) table.putSync(keyOf(block.mark.height), block)
      }),
    forget: (marks) =>
      store.writeGrouped(() => {
        for (const { height } of marks) table.removeSync(keyOf(height))
      }),
  }
}
