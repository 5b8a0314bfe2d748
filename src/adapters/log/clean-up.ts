import { TOPICS, type Topic } from '../../schemas/log.ts'

/** What happens to old records: deleted by age, all but the latest of a key, or kept for ever. */
export type CleanUp =
  | { policy: 'delete'; afterMs: number }
  | { policy: 'compact' }
  | { policy: 'keep' }

const DAY_MS = 24 * 3_600_000

export const CLEAN_UP: Record<Topic, CleanUp> = {
  [TOPICS.blocks]: { policy: 'delete', afterMs: 7 * DAY_MS },
  [TOPICS.mempool]: { policy: 'delete', afterMs: DAY_MS },
  [TOPICS.index]: { policy: 'delete', afterMs: 7 * DAY_MS },
  [TOPICS.inbox]: { policy: 'delete', afterMs: 7 * DAY_MS },
  [TOPICS.lifecycle]: { policy: 'keep' },
  [TOPICS.snapshots]: { policy: 'compact' },
  [TOPICS.dead]: { policy: 'delete', afterMs: 30 * DAY_MS },
  [TOPICS.checkpoints]: { policy: 'compact' },
  [TOPICS.states]: { policy: 'compact' },
  [TOPICS.webhooks]: { policy: 'compact' },
  [TOPICS.keys]: { policy: 'compact' },
  [TOPICS.heads]: { policy: 'compact' },
}

export const ALL_TOPICS: readonly Topic[] = Object.values(TOPICS)
