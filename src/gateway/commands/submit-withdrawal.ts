import type { StoredOrder } from '../../ports/views/order-views.ts'
import { LOG_SCHEMA } from '../../schemas/log.ts'
import type { CommandParts } from '../gateway.ts'
import { awaitOutcome } from '../intake/await-outcome.ts'
import type { Moderation } from './hide-order.ts'

type WithdrawalRequest =
  | { by: 'seller'; reason: string | undefined }
  | ({ by: 'operator' } & Moderation)

/** Hands a withdrawal to the order's actor, which knows the states that allow one. */
export const submitWithdrawal = (
  gateway: CommandParts,
  { order }: StoredOrder,
  { reason, ...whose }: WithdrawalRequest,
  signal: AbortSignal,
): Promise<StoredOrder> =>
  awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'withdraw',
      requestId: gateway.newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      at: new Date(gateway.clock.now()).toISOString(),
      ...whose,
      ...(reason === undefined ? {} : { reason }),
    },
    signal,
  )
