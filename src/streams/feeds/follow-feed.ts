import type { FeedStore } from '../../ports/feeds/feed-store.ts'
import {
  FeedError,
  type FeedItem,
  type FeedTrouble,
  type OrderFeed,
} from '../../ports/feeds/order-feed.ts'
import { type Backoff, backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { openRateLimiter, type RateLimiter } from '../../runtime/rate-limiter.ts'
import type { Rate } from '../../runtime/token-bucket.ts'
import { type Dedupe, DUPLICATE } from './dedupe.ts'
import type { FairQueueLimits } from './fair-queue.ts'
import { FeedQueue } from './feed-queue.ts'

/** The state of a feed; for a paused one, why and when it is retried. */
export type FeedState =
  | { state: 'connecting' | 'catching up' | 'following' }
  | { state: 'paused'; trouble: FeedTrouble; detail: string; retryInMs: number }

export interface FollowFeedParts {
  feed: OrderFeed
  store: Pick<FeedStore, 'cursor' | 'saveCursor'>
  take: (source: OrderFeed['source'], item: FeedItem) => ReturnType<Dedupe>
  /** The budget of all feeds together, in addition to the budget of each. */
  budget: RateLimiter
  clock: Clock
  /** In [0, 1): feeds that failed together are not retried together. */
  random: () => number
  onState: (state: FeedState) => void
  /** Called for each item of the feed. */
  onItem: (outcome: string) => void
  limits?: FeedLimits
}

export interface FeedLimits {
  /** Rate of examinations for one feed. */
  rate: Rate
  /** Bounds of the items waiting for examination. */
  queue: FairQueueLimits
  /** Items under examination at a time. */
  atOnce: number
  /** Lies on one connection. */
  maxLies: number
  /** Most consecutive messages that bring nothing new without the feed ever catching up. */
  maxRun: number
  retry: Backoff
  /** A feed that worked for this long before it failed is retried soon. */
  steadyMs: number
}

/** Items of trusted feeds, each and all of them together. */
export const TRUSTED_RATE: Rate = { perSecond: 200, burst: 200 }

export const FEED_LIMITS: FeedLimits = {
  // A burst is processed before requests that reach the routes meanwhile.
  rate: { perSecond: 10, burst: 10 },
  // Some 400 events; a publisher has a fifth of the feed's rate.
  queue: { rate: { perSecond: 2, burst: 50 }, maxSize: 2 ** 20, share: 16 },
  atOnce: 1,
  maxLies: 10,
  // Four pages of stored events.
  maxRun: 2_000,
  retry: { firstMs: 1_000, lastMs: 300_000 },
  steadyMs: 60_000,
}

/**
 * Limits of a feed that the operator names trusted (ADR 109). One publisher may have all of its rate,
 * and none loses what waits: the feed is read more slowly instead.
 */
export const TRUSTED_FEED_LIMITS: FeedLimits = {
  ...FEED_LIMITS,
  rate: TRUSTED_RATE,
  queue: { rate: TRUSTED_RATE, maxSize: 2 ** 22, share: Number.POSITIVE_INFINITY },
  atOnce: 8,
}

/** Faults the feed may not have caused: having been steady before resets the backoff. */
const FORGIVEN: ReadonlySet<FeedTrouble> = new Set([
  'unreachable',
  'silent',
  'not_stored',
  'node_away',
])

/**
 * Takes in a feed's items until the signal aborts. Its cursor moves once all items before it are
 * settled, so whatever fails, the next read repeats those that were not; a feed in trouble is
 * paused, longer each time.
 */
export async function followFeed(parts: FollowFeedParts, signal: AbortSignal): Promise<void> {
  const { clock, random, onState, limits = FEED_LIMITS } = parts
  const budgets = [openRateLimiter(limits.rate, clock), parts.budget]
  let failures = 0
  for (;;) {
    const begun = clock.monotonic()
    onState({ state: 'connecting' })
    const fault = await readFeed(parts, limits, budgets, signal)
    if (fault === null) return
    const { trouble, message } = fault
    const wasSteady = clock.monotonic() - begun > limits.steadyMs
    if (wasSteady && FORGIVEN.has(trouble)) failures = 0
    const retryInMs = Math.round(backoffMs(failures, limits.retry) * (0.5 + random() / 2))
    onState({ state: 'paused', trouble, detail: message, retryInMs })
    await clock.sleep(retryInMs, signal)
    if (signal.aborted) return
    failures += 1
  }
}

/** Reads until the feed is in trouble; null: until the signal aborted. */
async function readFeed(
  parts: FollowFeedParts,
  limits: FeedLimits,
  budgets: readonly RateLimiter[],
  signal: AbortSignal,
): Promise<FeedError | null> {
  const { feed, store, clock, onState, onItem } = parts
  const stop = new AbortController()
  const end = () => stop.abort()
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
  const { queue: bounds, atOnce } = limits
  const queue = new FeedQueue({ clock, limits: bounds, atOnce, budgets, onItem, onCursor })
  const onBatch = () => reach('catching up')
  const works = [fillQueue(parts, limits, queue, onBatch, stop.signal), queue.work(stop.signal)]
  // Whichever ends first stops the other, and its error is the one reported.
  const first = await Promise.race(works.map((work) => work.then(() => null, toReason)))
  end()
  await Promise.allSettled(works)
  signal.removeEventListener('abort', end)
  if (signal.aborted) return null
  if (first === null) throw new Error(`the feed ${feed.url} ended without a reason`)
  if (first.error instanceof FeedError) return first.error
  throw first.error
}

const toReason = (error: unknown) => ({ error })

/** Reads the feed, and puts items that must be examined into the lane. */
async function fillQueue(
  { feed, store, take, clock, onItem }: FollowFeedParts,
  { maxLies, maxRun }: FeedLimits,
  queue: FeedQueue,
  onBatch: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lies = 0
  let run = 0
  const count = (outcome: string, isLie: boolean) => {
    onItem(outcome)
    if (isLie && ++lies >= maxLies) {
      throw new FeedError('lies', `${lies} items were false or not requested`)
    }
  }
  const cursor = await stored(() => store.cursor(feed.url))
  for await (const { items, cursor: reached, isBehind } of feed.read(cursor, signal)) {
    onBatch()
    let isNew = false
    for (const item of items) {
      // Yields to the other work of the process, never ahead of it.
      await clock.turn()
      const taken = 'id' in item && queue.has(item.id) ? DUPLICATE : await take(feed.source, item)
      if ('settle' in taken && 'id' in item) await queue.put(item.id, taken, signal)
      else if ('outcome' in taken) count(taken.outcome, taken.isLie)
      isNew ||= 'settle' in taken || taken.isNew === true
    }
    if (signal.aborted) return
    run = isBehind && !isNew ? run + 1 : 0
    if (run > maxRun) {
      throw new FeedError('flood', `${maxRun} consecutive messages brought nothing new`)
    }
    if (reached !== null) await queue.reach(reached)
  }
}

async function stored<T>(access: () => Promise<T>): Promise<T> {
  try {
    return await access()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FeedError('not_stored', why, { cause })
  }
}
