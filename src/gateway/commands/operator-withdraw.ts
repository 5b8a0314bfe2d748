import type { OrderSummary } from '../../schemas/order.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { inLog } from '../intake/take-claim.ts'
import { findAny } from '../order/read-order.ts'
import { summariseWhole } from '../order/summarise.ts'
import type { Moderation } from './hide-order.ts'
import { submitWithdrawal } from './submit-withdrawal.ts'

/**
 * Takes an order off the book for good, for an operator (gateway spec 4.2, Admin withdraw). The
 * operator's name is recorded in the lifecycle log, and returned in no answer.
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_NOT_WITHDRAWABLE, STORAGE_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export async function operatorWithdraw(
  gateway: CommandParts & Pick<Gateway, 'pool' | 'stored'>,
  id: string,
  moderation: Moderation,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const stored = await inLog(gateway, await findAny(gateway, id), null, signal)
  const by = { by: 'operator', ...moderation } as const
  return summariseWhole(gateway, await submitWithdrawal(gateway, stored, by, signal))
}
