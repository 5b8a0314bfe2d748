import type { StoredOrder } from '../ports/order-views.ts'
import { LOG_SCHEMA, type WithdrawCommand } from '../schemas/log.ts'
import type { OrderSummary } from '../schemas/order.ts'
import { awaitOutcome } from './await-outcome.ts'
import type { Gateway } from './gateway.ts'
import { summarise } from './summarise.ts'

/** Hands a withdrawal to the order's actor, which knows the states that allow it. */
export async function submitWithdrawal(
  gateway: Gateway,
  { order }: StoredOrder,
  { by, reason }: { by: WithdrawCommand['by']; reason: string | undefined },
  signal: AbortSignal,
): Promise<OrderSummary> {
  const withdrawn = await awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'withdraw',
      requestId: gateway.newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      at: new Date(gateway.clock.now()).toISOString(),
      by,
      ...(reason === undefined ? {} : { reason }),
    },
    signal,
  )
  return summarise(gateway, withdrawn).summary
}
