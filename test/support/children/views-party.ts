import type { RedisViews } from '../../../src/adapters/redis/views/views.ts'
import type { OrderQuery, PartitionFreshness } from '../../../src/ports/views/order-views.ts'
import type { ChangeRecord } from '../../../src/schemas/log.ts'
import { type Skills, serveParty } from '../abuse/party.ts'
import { versionOf } from '../orders/order-changes.ts'
import { openRedisViews } from '../services/redis.ts'
import { systemClock as clock } from '../system-clock.ts'

// A process with views in Redis of its own: it reads pages, or folds changes, as it is asked.

let views: RedisViews

const skills = {
  open: async (url: string) => {
    const opened = await openRedisViews(url, { clock, partitions: 1 })
    views = opened.views
    // As a gateway that gets traffic.
    views.keepListable()
    while (!views.listable) await clock.sleep(10)
  },
  /** The versions that a page shows, and its total. */
  page: async (query: OrderQuery) => {
    const { orders, total } = await views.page(query)
    return { orders: orders.map(({ order }) => versionOf(order)), total }
  },
  position: () => views.position(0),
  /** Folds the change at this offset. */
  apply: (offset: number, change: ChangeRecord) =>
    views.apply({ partition: 0, nextOffset: offset + 1, records: [change] }),
  applyFreshness: (freshness: PartitionFreshness) => views.applyFreshness(0, freshness),
} satisfies Skills

export type ViewsSkills = typeof skills

serveParty(skills)
