import type { CircleStore } from '../ports/folds/circle-store.ts'
import type { FoldFeed } from '../ports/folds/fold-feed.ts'
import type { CircleState, StateFeedRecord } from '../schemas/api/circles.ts'
import { LOG_SCHEMA, TOPICS } from '../schemas/log.ts'
import type { BlockRef } from '../schemas/scalars.ts'

/** A state and the block that made it. */
export interface StateMark extends BlockRef {
  state: CircleState
}

/** A record for each block that changed the state, keyed by the revision after it. */
export const stateFeed = (
  store: Pick<CircleStore, 'hashAt' | 'statesAbove'>,
): FoldFeed<StateMark> => ({
  topic: TOPICS.states,
  keyOf: ({ state }) => String(state.revision),
  retractionOf: ({ state }) => recordOf('disconnected', state),
  // Reads are synchronous, so no commit can come between them.
  read: (query) =>
    query({
      hashAt: (height) => store.hashAt(height),
      above: (height, limit) =>
        store.statesAbove(height, limit).map(({ block, state }) => ({
          mark: { ...block, state },
          record: () => recordOf('connected', state),
        })),
    }),
})

const recordOf = (kind: StateFeedRecord['kind'], state: CircleState): StateFeedRecord => ({
  schema: LOG_SCHEMA,
  kind,
  state,
})
