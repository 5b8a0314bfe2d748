import { type Budget, openBudget, type Rate } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { FeedStore } from '../ports/feed-store.ts'
import { FeedFault, type FeedTrouble, type OrderFeed } from '../ports/order-feed.ts'
import type { FairQueueLimits } from './fair-queue.ts'
import { FeedLane } from './feed-lane.ts'
import { DUPLICATE, type TakeOnce } from './take-once.ts'

/** Where a feed stands; of a paused one why, and when it is tried again. */
export type FeedState =
  | { state: 'connecting' | 'catching up' | 'following' }
  | { state: 'paused'; trouble: FeedTrouble; detail: string; retryInMs: number }

export interface FollowFeedParts {
  feed: OrderFeed
  store: Pick<FeedStore, 'cursor' | 'saveCursor'>
  take: TakeOnce
  /** Of all feeds together, beside the one of each. */
  budget: Budget
  clock: Clock
  /** From 0 up to 1: feeds that failed together do not come back together. */
  random: () => number
  onState: (state: FeedState) => void
  /** For each item that was told. */
  onItem: (outcome: string) => void
  limits?: FeedLimits
}

export interface FeedLimits {
  /** Examinations for one feed. */
  rate: Rate
  /** What waits for them. */
  queue: FairQueueLimits
  /** Lies on one connection. */
  maxLies: number
  /** More messages one after another that bring nothing new, and never a break, are no answer to anything. */
  maxRun: number
  firstRetryMs: number
  lastRetryMs: number
  /** A feed that was of use for so long before it failed is tried again soon. */
  steadyMs: number
}

export const FEED_LIMITS: FeedLimits = {
  // A burst goes before what comes by the routes meanwhile.
  rate: { perSecond: 10, burst: 10 },
  // Some 400 events; a publisher has a fifth of the feed's rate.
  queue: { rate: { perSecond: 2, burst: 50 }, maxSize: 2 ** 20, share: 16 },
  maxLies: 10,
  // Four pages of stored events.
  maxRun: 2_000,
  firstRetryMs: 1_000,
  lastRetryMs: 300_000,
  steadyMs: 60_000,
}

/** Not the feed's doing, or nobody's: being steady before it makes good for it. */
const FORGIVEN: ReadonlySet<FeedTrouble> = new Set([
  'unreachable',
  'silent',
  'not_stored',
  'node_away',
])

/**
 * Takes what a feed tells until the signal aborts. Its cursor moves when all before it is settled, so
 * whatever fails, the next read repeats what was not; a feed in trouble is let alone for a while,
 * longer each time.
 */
export async function followFeed(parts: FollowFeedParts, signal: AbortSignal): Promise<void> {
  const { clock, random, onState, limits = FEED_LIMITS } = parts
  const budgets = [openBudget(limits.rate, clock), parts.budget]
  let retryMs = limits.firstRetryMs
  for (;;) {
    const begun = clock.monotonic()
    onState({ state: 'connecting' })
    const fault = await readFeed(parts, limits, budgets, signal)
    if (fault === null) return
    const { trouble, message } = fault
    const wasSteady = clock.monotonic() - begun > limits.steadyMs
    if (wasSteady && FORGIVEN.has(trouble)) retryMs = limits.firstRetryMs
    const retryInMs = Math.round(retryMs * (0.5 + random() / 2))
    onState({ state: 'paused', trouble, detail: message, retryInMs })
    await clock.sleep(retryInMs, signal)
    if (signal.aborted) return
    retryMs = Math.min(retryMs * 2, limits.lastRetryMs)
  }
}

/** Reads until the feed is in trouble; null: until the signal aborted. */
async function readFeed(
  parts: FollowFeedParts,
  limits: FeedLimits,
  budgets: readonly Budget[],
  signal: AbortSignal,
): Promise<FeedFault | null> {
  const { feed, store, clock, onState, onItem } = parts
  const over = new AbortController()
  const end = () => over.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  let state: FeedState['state'] = 'connecting'
  const reach = (next: 'catching up' | 'following') => {
    if (state === next || state === 'following') return
    state = next
    onState({ state })
  }
  const onCursor = async (cursor: number) => {
    await stored(() => store.saveCursor(feed.url, cursor))
    reach('following')
  }
  const lane = new FeedLane({ clock, limits: limits.queue, budgets, onItem, onCursor })
  const onBatch = () => reach('catching up')
  const works = [fillLane(parts, limits, lane, onBatch, over.signal), lane.work(over.signal)]
  // Whichever ends first ends the other one, and its reason is the reason.
  const first = await Promise.race(works.map((work) => work.then(() => null, toReason)))
  end()
  await Promise.allSettled(works)
  signal.removeEventListener('abort', end)
  if (signal.aborted) return null
  if (first === null) throw new Error(`the feed ${feed.url} ended without a reason`)
  if (first.error instanceof FeedFault) return first.error
  throw first.error
}

const toReason = (error: unknown) => ({ error })

/** Reads what the feed tells, and puts what must be examined into the lane. */
async function fillLane(
  { feed, store, take, clock, onItem }: FollowFeedParts,
  { maxLies, maxRun }: FeedLimits,
  lane: FeedLane,
  onBatch: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lies = 0
  let run = 0
  const count = (outcome: string, isLie: boolean) => {
    onItem(outcome)
    if (isLie && ++lies >= maxLies) {
      throw new FeedFault('lies', `${lies} items were not true or not asked for`)
    }
  }
  const cursor = await stored(() => store.cursor(feed.url))
  for await (const { items, cursor: reached, isBehind } of feed.read(cursor, signal)) {
    onBatch()
    let isNew = false
    for (const item of items) {
      // Beside what else the process does, never before it.
      await clock.turn()
      const taken = 'id' in item && lane.has(item.id) ? DUPLICATE : await take(feed.source, item)
      if ('settle' in taken && 'id' in item) await lane.put(item.id, taken, signal)
      else if ('outcome' in taken) count(taken.outcome, taken.isLie)
      isNew ||= 'settle' in taken || !(taken.isLie || taken.outcome === 'duplicate')
    }
    if (signal.aborted) return
    run = isBehind && !isNew ? run + 1 : 0
    if (run > maxRun) {
      throw new FeedFault('flood', `${maxRun} messages came without a break and brought nothing`)
    }
    if (reached !== null) await lane.reach(reached)
  }
}

async function stored<T>(access: () => Promise<T>): Promise<T> {
  try {
    return await access()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedFault('not_stored', why, { cause })
  }
}
