import type { FoldFeed } from '../ports/folds/fold-feed.ts'
import type { PairingView, PairingViews } from '../ports/folds/pairing-views.ts'
import type { CheckpointFeedRecord, CheckpointTuple } from '../schemas/api/pairing.ts'
import { LOG_SCHEMA, TOPICS } from '../schemas/log.ts'
import type { BlockRef } from '../schemas/scalars.ts'
import type { PairingService } from './pairing-service.ts'

export interface CheckpointFeedParts {
  views: PairingViews
  startHeight: number
  /** Returns null if there is no signer. */
  envelopeOf: PairingService['envelopeOf']
}

/** A record for each block of the index, keyed by its height. */
export const checkpointFeed = ({
  views,
  startHeight,
  envelopeOf,
}: CheckpointFeedParts): FoldFeed<BlockRef> => ({
  topic: TOPICS.checkpoints,
  keyOf: ({ height }) => String(height),
  retractionOf: (block): CheckpointFeedRecord => ({
    schema: LOG_SCHEMA,
    kind: 'disconnected',
    block,
  }),
  read: (query) =>
    views.read((view) =>
      query({
        hashAt: (height) => view.checkpoint(height)?.blockHash ?? null,
        above: (height, limit) =>
          consecutive(view, Math.max(height + 1, startHeight), limit).map((tuple) => {
            const mark = { height: Number(tuple.height), hash: tuple.blockHash }
            const record = (): CheckpointFeedRecord => ({
              schema: LOG_SCHEMA,
              kind: 'connected',
              block: mark,
              tuple,
              envelope: envelopeOf(tuple, view.signature(mark.height)),
            })
            return { mark, record }
          }),
      }),
    ),
})

function consecutive(view: PairingView, first: number, limit: number): CheckpointTuple[] {
  const tuples: CheckpointTuple[] = []
  for (let height = first; tuples.length < limit; height += 1) {
    const tuple = view.checkpoint(height)
    if (!tuple) break
    tuples.push(tuple)
  }
  return tuples
}
