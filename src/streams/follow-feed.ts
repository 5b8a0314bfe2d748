import { type Budget, openBudget, type Rate } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { FeedStore } from '../ports/feed-store.ts'
import { FeedFault, type FeedTrouble, type OrderFeed } from '../ports/order-feed.ts'
import type { TakeOnce } from './take-once.ts'

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
  /** Imports of one feed. */
  rate: Rate
  /** Lies on one connection. */
  maxLies: number
  firstRetryMs: number
  lastRetryMs: number
  /** A feed that was of use for so long before it failed is tried again soon. */
  steadyMs: number
}

export const FEED_LIMITS: FeedLimits = {
  rate: { perSecond: 10, burst: 100 },
  maxLies: 10,
  firstRetryMs: 1_000,
  lastRetryMs: 300_000,
  steadyMs: 60_000,
}

/** Not the feed's doing, or nobody's: being steady before it makes good for it. */
const FORGIVEN: ReadonlySet<FeedTrouble> = new Set(['unreachable', 'silent', 'not_stored'])

/**
 * Takes what a feed tells until the signal aborts. Its cursor moves when all before it is stored, so
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
  { feed, store, take, onState, onItem }: FollowFeedParts,
  { maxLies }: FeedLimits,
  budgets: readonly Budget[],
  signal: AbortSignal,
): Promise<FeedFault | null> {
  let lies = 0
  let state: FeedState['state'] = 'connecting'
  const reach = (next: 'catching up' | 'following') => {
    if (state === next || state === 'following') return
    state = next
    onState({ state })
  }
  try {
    const cursor = await stored(() => store.cursor(feed.url))
    for await (const batch of feed.read(cursor, signal)) {
      reach('catching up')
      for (const item of batch.items) {
        const { outcome, isLie } = await take(feed.source, item, budgets, signal)
        onItem(outcome)
        if (isLie && ++lies >= maxLies) {
          throw new FeedFault('lies', `${lies} items were not true or not asked for`)
        }
      }
      const { cursor: reached } = batch
      if (reached === null) continue
      await stored(() => store.saveCursor(feed.url, reached))
      reach('following')
    }
  } catch (error) {
    if (signal.aborted) return null
    if (error instanceof FeedFault) return error
    throw error
  }
  if (signal.aborted) return null
  throw new Error(`the feed ${feed.url} ended without a reason`)
}

async function stored<T>(access: () => Promise<T>): Promise<T> {
  try {
    return await access()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedFault('not_stored', why, { cause })
  }
}
