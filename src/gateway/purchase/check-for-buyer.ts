import type { StoredOrder } from '../../ports/views/order-views.ts'
import { recheck } from '../commands/revalidate-order.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { refusedBy } from '../intake/await-outcome.ts'
import { inTime } from '../intake/examine-offer.ts'
import { summarise } from '../order/summarise.ts'
import { inWaitingTime } from '../waiting-time.ts'

/**
 * The order after both authorities were asked again. One that is LIVE and stays so leaves nothing in
 * the log (ADR 86); any other is rechecked there, so that all see what became of it.
 *
 * @throws RefusalError NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export function checkForBuyer(
  gateway: CommandParts & Pick<Gateway, 'checks'>,
  known: StoredOrder,
  signal: AbortSignal,
): Promise<StoredOrder> {
  if (!mayStayUnlogged(gateway, known)) return recheck(gateway, known, signal)
  return inWaitingTime(gateway, signal, async (deadline) => {
    const { order } = known
    const at = new Date(gateway.clock.now()).toISOString()
    const reason = `order ${order.id} is still being verified: read it later`
    const checked = await inTime(gateway.checks.check(order, at, deadline), deadline, reason)
    if (checked.status === 'refused') throw refusedBy(checked)
    return checked.status === 'live'
      ? { ...known, order: checked.order }
      : recheck(gateway, known, deadline)
  })
}

/**
 * Is it LIVE by recent word of the log, which has no question open and no wrapper undecided? If its
 * view is stale, the log may know of a withdrawal that this gateway does not.
 */
const mayStayUnlogged = (
  gateway: Pick<Gateway, 'clock' | 'settings'>,
  known: StoredOrder,
): boolean => {
  const { state, pending, claims } = known.order
  const isSettled = state === 'LIVE' && pending === null && claims.length === 0
  return isSettled && !summarise(gateway, known).verification.stale
}
