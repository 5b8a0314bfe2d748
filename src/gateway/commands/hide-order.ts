import { LOG_SCHEMA, type ModerationCommand } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { awaitOutcome } from '../intake/await-outcome.ts'
import { inLog } from '../intake/take-claim.ts'
import { findAny } from '../order/read-order.ts'
import { summariseWhole } from '../order/summarise.ts'
import { RefusalError } from '../refusal.ts'

/** An operator's decision about an order. */
export interface Moderation {
  /** The operator's name: recorded in the log, returned in no answer. */
  operator: string
  reason: string | undefined
}

/**
 * Takes an order out of every list, or puts it back (docs/adr/0045-hidden-orders.md). Both are idempotent.
 *
 * @throws RefusalError ORDER_NOT_FOUND, STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function hideOrder(
  gateway: CommandParts & Pick<Gateway, 'pool' | 'stored'>,
  id: string,
  command: ModerationCommand['command'],
  { operator, reason }: Moderation,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const { order } = await inLog(gateway, await findAny(gateway, id), null, signal)
  const moderated = await awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command,
      requestId: gateway.newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      at: new Date(gateway.clock.now()).toISOString(),
      operator,
      ...(reason === undefined ? {} : { reason }),
    },
    signal,
  )
  return summariseWhole(gateway, moderated)
}

/**
 * While an order is hidden, its artifact and anything made from it are released to no one.
 *
 * @throws RefusalError ORDER_HIDDEN
 */
export function requireShown({ hidden }: OrderRecord): void {
  if (hidden) throw new RefusalError('ORDER_HIDDEN', 'an operator of this service hides this order')
}
