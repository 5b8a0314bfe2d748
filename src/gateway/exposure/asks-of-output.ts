import type { OrderQuery, OrderViews } from '../../ports/views/order-views.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderState, OutpointText } from '../../schemas/scalars.ts'

/** Views that are read in turn with the reads of other requests. */
export type ViewsInTurn = Pick<OrderViews, 'page'>

/** Every ask of an output, in any state: a bid is not signed by the output's owner. */
export const asksOf = (outpoint: OutpointText) =>
  ({
    outpoint,
    side: 'ASK',
    hidden: 'either',
    includeWithdrawn: true,
  }) as const satisfies Partial<OrderQuery>

/** States of an order that is still for sale here, or may be again. */
const OPEN: readonly OrderState[] = ['PENDING_NODE', 'PENDING_ASSET', 'LIVE', 'MEMPOOL_CONFLICTED']
/**
 * Orders read: all orders of an output are spent together, so one in another state is among the
 * first.
 */
const LOOKED_AT = 10
/** Outputs that are looked up at the same time. */
const AT_ONCE = 16

/** An order that offers this output and is open, or null. */
async function openAskOf(views: ViewsInTurn, outpoint: OutpointText): Promise<OrderRecord | null> {
  const sorted = { sort: 'newest', hidden: 'either' } as const
  // Most outputs have no order: without further filters finding that costs next to nothing.
  const any = await views.page({ outpoint, ...sorted, includeWithdrawn: true, limit: 1 })
  if (any.total === 0) return null
  const { orders } = await views.page({
    outpoint,
    ...sorted,
    side: 'ASK',
    includeWithdrawn: false,
    limit: LOOKED_AT,
  })
  return orders.find(({ order }) => OPEN.includes(order.state))?.order ?? null
}

export type FindOpenAsks = (outpoints: readonly OutpointText[]) => Promise<(OrderRecord | null)[]>

/** The same for many outputs, in order. */
export async function openAsksOf(
  views: ViewsInTurn,
  outpoints: readonly OutpointText[],
): Promise<(OrderRecord | null)[]> {
  const found: (OrderRecord | null)[] = []
  for (let at = 0; at < outpoints.length; at += AT_ONCE) {
    const some = outpoints.slice(at, at + AT_ONCE)
    found.push(...(await Promise.all(some.map((outpoint) => openAskOf(views, outpoint)))))
  }
  return found
}
