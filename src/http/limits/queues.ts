import type { Gateway } from '../../gateway/gateway.ts'
import { type LaneRule, type Lanes, openLanes } from '../../runtime/lanes.ts'
import { releasedAfter, throttled } from './slot-hold.ts'

/** Tasks in progress at once, and how many more may wait. */
const BOUNDS = {
  /** Page reads of one store. */
  pages: { atOnce: 8, waiting: 256 },
  /** Large pages and searches block the event loop longer: they are read one at a time. */
  largePages: { atOnce: 1, waiting: 256 },
  /** A file of statistics is ten pages: it has a queue of its own, and pages do not wait for it. */
  statisticFiles: { atOnce: 1, waiting: 32 },
  /** Each read is one look-up: this rule limits how many wait for a store that hangs. */
  byId: { atOnce: 64, waiting: 1_024 },
  /** Imports, events, publishes and inspections: more at once would only delay each other, and all reads. */
  imports: { atOnce: 32, waiting: 1_024 },
  /** A build is ten calls and a PSBT: a burst of them must not take all turns of the event loop. */
  builds: { atOnce: 4, waiting: 256 },
  /** A quote or a preflight is some ten calls: a burst of them must not fill each turn either. */
  purchases: { atOnce: 8, waiting: 256 },
} as const satisfies Record<string, LaneRule>
const MAX_WAIT_MS = 5_000
/** A purchase that takes longer frees its slot: an authority that hangs stops no other buyer, */
const PURCHASE_SLOT_MS = 250
/** and an import that waits for its verdict stops no other seller. */
const IMPORT_SLOT_MS = 500

/**
 * Large pages of the views are made on the event loop, large pages of the history in its database.
 */
const SHARES = {
  views: { of: 0.2, maxRestMs: 400 },
  history: { of: 0.5, maxRestMs: 1_000 },
  statisticFiles: { of: 0.25, maxRestMs: 1_000 },
} as const

/** Where reads queue, by what is read, and imports, builds and purchases. */
export interface Queues {
  stores: Readonly<Record<'views' | 'orders' | 'history' | 'statisticFiles', Lanes>>
  imports: Lanes
  builds: Lanes
  purchases: Lanes
}

export function openQueues({ clock }: Pick<Gateway, 'clock'>): Queues {
  const open = (rule: LaneRule, later: LaneRule = rule): Lanes =>
    openLanes({
      rules: [rule, rule, later],
      waitMs: MAX_WAIT_MS,
      now: () => clock.monotonic(),
    })
  const openPages = () => open(BOUNDS.pages, BOUNDS.largePages)
  return {
    stores: {
      views: throttled(openPages(), SHARES.views, clock),
      orders: open(BOUNDS.byId),
      history: throttled(openPages(), SHARES.history, clock),
      statisticFiles: throttled(open(BOUNDS.statisticFiles), SHARES.statisticFiles, clock),
    },
    imports: releasedAfter(open(BOUNDS.imports), IMPORT_SLOT_MS, clock),
    builds: open(BOUNDS.builds),
    purchases: releasedAfter(open(BOUNDS.purchases), PURCHASE_SLOT_MS, clock),
  }
}
