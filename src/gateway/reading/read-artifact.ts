import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { Notice, OrderArtifact } from '../../schemas/order.ts'
import { requireShown } from '../commands/hide-order.ts'
import { recheck } from '../commands/revalidate-order.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { findOrder } from '../order/read-order.ts'
import { summarise } from '../order/summarise.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The signed artifact with its current verification (gateway spec 4.2).
 *
 * @throws RefusalError as `releasableOrder`
 */
export async function readArtifact(
  gateway: CommandParts & Pick<Gateway, 'pool'>,
  id: string,
  signal: AbortSignal,
): Promise<OrderArtifact> {
  const stored = await releasableOrder(gateway, id, signal)
  const { summary, verification } = summarise(gateway, stored)
  const { network, inspection, validation, state, actionability } = summary
  return {
    orderId: stored.order.id,
    network,
    psbt: stored.order.kept.artifact,
    digest: inspection.digest,
    inspection,
    validation,
    verification,
    state,
    actionability,
    // A bid's signatures commit to all of it: no other transaction can complete it.
    notices: inspection.orderClass === 'ASK_ANYONECANPAY' ? [REPLACEABLE] : [],
  }
}

const REPLACEABLE: Notice = {
  code: 'REPLACEABLE_BY_ANYONE',
  message: 'Anyone can replace a purchase of this order before it confirms.',
}

/**
 * An order whose artifact may leave the service: LIVE, and verified within the freshness bound; a
 * stale one is rechecked first.
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_HIDDEN, ORDER_NOT_LIVE, NODE_UNAVAILABLE,
 *   ASSET_INDEX_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export async function releasableOrder(
  gateway: CommandParts & Pick<Gateway, 'pool'>,
  id: string,
  signal: AbortSignal,
): Promise<StoredOrder> {
  const known = requireLive(await findOrder(gateway, id))
  requireShown(known.order)
  if (!summarise(gateway, known).verification.stale) return known
  const checked = requireLive(await recheck(gateway, known, signal))
  // An operator may have hidden it meanwhile.
  requireShown(checked.order)
  if (!summarise(gateway, checked).verification.stale) return checked
  throw new RefusalError(
    'STILL_BEING_VERIFIED',
    `order ${id} is still being verified: ask again later`,
  )
}

function requireLive(stored: StoredOrder): StoredOrder {
  const { state, reason } = stored.order
  if (state === 'LIVE') return stored
  const why = `the order is ${state} (${reason}): only a LIVE order releases its artifact`
  throw new RefusalError('ORDER_NOT_LIVE', why)
}
