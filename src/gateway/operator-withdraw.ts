import type { OrderSummary } from '../schemas/order.ts'
import type { Gateway } from './gateway.ts'
import { findAny } from './read-order.ts'
import { submitWithdrawal } from './submit-withdrawal.ts'
import { inLog } from './take-claim.ts'

/**
 * Takes an order off the book for an operator (spec 4.2, Admin withdraw). Who the operator is was
 * asked before; the lifecycle log says only that it was one.
 *
 * @throws Refusal ORDER_NOT_FOUND, ORDER_NOT_WITHDRAWABLE, STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export async function operatorWithdraw(
  gateway: Gateway,
  id: string,
  reason: string | undefined,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const stored = await inLog(gateway, await findAny(gateway, id), signal)
  return submitWithdrawal(gateway, stored, { by: 'operator', reason }, signal)
}
