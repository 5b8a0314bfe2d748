import { activityId } from '../../domain/order/activity.ts'
import { mayPass } from '../../domain/verdict/verdict.ts'
import type { JudgedOffer } from '../../ports/feeds/offer-judge.ts'
import type { ActivityQuery, ActivityRows } from '../../ports/views/history.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { MAX_UNPROVED_CHANGES, type Story, type UnprovedOrder } from '../../schemas/unproved.ts'

const MINUTE_MS = 60_000
/** Milliseconds after creation at which an order is rechecked; after that only on news of it. */
const LOOKS_MS = [10 * MINUTE_MS, 60 * MINUTE_MS, 360 * MINUTE_MS]
/**
 * Recheck interval while the node is unavailable: such an order waits only for the node's answer.
 */
const NODE_AWAY_MS = 5_000

/** The pool entry of an order that was judged and not proved. */
export function entryOf(
  before: UnprovedOrder | null,
  { order, changes, away }: JudgedOffer,
  { client, importedAt }: Pick<UnprovedOrder, 'client' | 'importedAt'>,
  now: number,
): UnprovedOrder {
  const all = [...(before?.changes ?? []), ...changes].slice(0, MAX_UNPROVED_CHANGES)
  const lookAt = away === undefined ? nextLook(order, now) : now + NODE_AWAY_MS
  return { order, changes: all, client, importedAt, lookAt }
}

/** A bad signature stays bad; a missing output may still come. */
function nextLook(order: OrderRecord, now: number): number | null {
  if (!mayPass(order) && order.reason !== 'signature_unverifiable') return null
  const made = Date.parse(order.createdAt)
  const next = LOOKS_MS.find((after) => made + after > now)
  return next === undefined ? null : made + next
}

/** What the order brings with it into the log. */
export const storyOf = ({ order, changes }: UnprovedOrder): Story => ({
  sources: order.sources,
  changes,
})

/** As the views hold an order: no partition has seen it yet. */
export const asStored = ({ order }: UnprovedOrder): StoredOrder => ({
  order,
  partition: 0,
  freshness: null,
  isUnproved: true,
})

/**
 * A page of its changes as the activity log shows them, newest first. They have the numbers that they
 * get in the log, so a list goes on there if the order is proved meanwhile.
 */
export function activityOf(
  { order: { id }, changes }: UnprovedOrder,
  { limit, after }: Pick<ActivityQuery, 'limit' | 'after'>,
): ActivityRows {
  const end = after ? Math.min(after.seq - 1, changes.length) : changes.length
  const begin = Math.max(0, end - limit)
  const entries = changes
    .slice(begin, end)
    .map((change, at) => ({ id: activityId(id, begin + at + 1), orderId: id, ...change }))
    .reverse()
  const oldest = entries.at(-1)
  const next =
    oldest && begin > 0 ? { observedAt: oldest.observedAt, orderId: id, seq: begin + 1 } : null
  return { entries, next }
}
