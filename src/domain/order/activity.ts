import type { ChangeRecord } from '../../schemas/log.ts'
import type { ActivityEntry } from '../../schemas/order.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** Unique among the entries of all orders. */
export const activityId = (orderId: OrderId, seq: number): string => `${orderId}:${seq}`

type ShownChange = Pick<
  ChangeRecord,
  'kind' | 'orderId' | 'seq' | 'fromState' | 'toState' | 'reason' | 'actor' | 'observedAt'
>

/**
 * A transition as the activity log shows it (gateway spec 6); null for a change that left the state
 * as it was.
 */
export function toActivity(change: ShownChange): ActivityEntry | null {
  if (change.kind !== 'transition') return null
  const { orderId, seq, fromState, toState, reason, actor, observedAt } = change
  return { id: activityId(orderId, seq), orderId, fromState, toState, reason, actor, observedAt }
}
