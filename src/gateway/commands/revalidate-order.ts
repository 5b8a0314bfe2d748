import type { StoredOrder } from '../../ports/views/order-views.ts'
import { LOG_SCHEMA } from '../../schemas/log.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import { inAttempts } from '../attempts.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { awaitOutcome } from '../intake/await-outcome.ts'
import { recheckPooled } from '../intake/take-claim.ts'
import { findAny } from '../order/read-order.ts'
import { summarise } from '../order/summarise.ts'
import { RefusalError } from '../refusal.ts'

/**
 * The order after a fresh verification by both authorities. If one is unavailable, nothing changes.
 *
 * @throws RefusalError ORDER_NOT_FOUND, NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE, STILL_BEING_VERIFIED;
 *   MARKET_RATE_LIMITED if it is proved only now, and `client` may not have it stored
 */
export async function revalidateOrder(
  gateway: CommandParts & Pick<Gateway, 'judge' | 'pool' | 'stored'>,
  id: string,
  client: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const reason = `order ${id} is still being verified: it changed meanwhile, try again`
  const checked = await inAttempts(gateway, signal, reason, async (deadline) => {
    const found = await findAny(gateway, id)
    return 'entry' in found
      ? await recheckUnproved(gateway, found.entry, client, deadline)
      : await recheck(gateway, found.stored, deadline)
  })
  return summarise(gateway, checked).summary
}

/** Null: it was imported, checked or moved to the log meanwhile. */
async function recheckUnproved(
  gateway: CommandParts & Pick<Gateway, 'judge' | 'pool' | 'stored'>,
  entry: UnprovedOrder,
  client: string,
  deadline: AbortSignal,
): Promise<StoredOrder | null> {
  const checked = await recheckPooled(gateway, entry, { client, isNewOrder: true }, deadline)
  if (!checked) return null
  const { stored, away } = checked
  if (away === null) return stored
  throw new RefusalError('NODE_UNAVAILABLE', `the full node gives no answer: ${away}`)
}

/** Rechecks an order that was already read from the store. */
export const recheck = (
  gateway: CommandParts,
  { order }: StoredOrder,
  signal: AbortSignal,
): Promise<StoredOrder> =>
  awaitOutcome(
    gateway,
    {
      schema: LOG_SCHEMA,
      kind: 'command',
      command: 'revalidate',
      requestId: gateway.newRequestId(),
      orderId: order.id,
      outpoint: order.outpoint,
      at: new Date(gateway.clock.now()).toISOString(),
    },
    signal,
  )
