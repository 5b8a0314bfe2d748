import { VERDICT_STATES, type VerdictState } from '../../domain/verdict/verdict.ts'
import type { ImportCommand } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { UnprovedChange } from '../../schemas/unproved.ts'
import { withSources } from './changes/imports.ts'
import { newOrder } from './changes/new-order.ts'

/** An order made by an import, and what happened to it before it was logged. */
export interface MadeOrder {
  order: OrderRecord
  /** ISO 8601: when it was first seen. */
  begunAt: string
  recalls: { type: 'RECALL'; state: VerdictState; reason: string; at: string }[]
}

export function madeOrder(
  { claim, orderId, at, story }: ImportCommand,
  network: Network,
): MadeOrder {
  const [begin, ...changes] = story?.changes ?? []
  const begunAt = begin?.observedAt ?? at
  const order = newOrder(orderId, network, { claim, at: begunAt })
  return {
    order: story ? withSources(order, story.sources) : order,
    begunAt,
    recalls: changes.flatMap(recallOf),
  }
}

function recallOf({ toState, reason, observedAt }: UnprovedChange): MadeOrder['recalls'] {
  const state = VERDICT_STATES.find((one) => one === toState)
  return state ? [{ type: 'RECALL', state, reason, at: observedAt }] : []
}
