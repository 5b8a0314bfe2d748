import type { OrderQuery, OrderViews } from '../../ports/views/order-views.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderState, OutpointText } from '../../schemas/scalars.ts'

/** Views behind the queue of page reads. */
export type QueuedViews = Pick<OrderViews, 'page'>

/** Every ask of an output, in any state: a bid is not signed by the output's owner. */
export const asksOf = (outpoint: OutpointText) =>
  ({
    outpoint,
    side: 'ASK',
    hidden: 'either',
    includeWithdrawn: true,
  }) as const satisfies Partial<OrderQuery>

/**
 * Every bid that an output pays for, in any state: its owner signed each of them, and no order that
 * offers the output is among them.
 */
export const bidsPaidBy = (funding: OutpointText) =>
  ({
    funding,
    side: 'BID',
    hidden: 'either',
    includeWithdrawn: true,
  }) as const satisfies Partial<OrderQuery>

/** States of an order that can be taken here, or may be again. */
const OPEN: readonly OrderState[] = ['PENDING_NODE', 'PENDING_ASSET', 'LIVE', 'MEMPOOL_CONFLICTED']
/**
 * Asks read: all asks of an output are spent together, so one in another state is among the first.
 */
const LOOKED_AT = 10
/** Outputs that are looked up at the same time. */
const AT_ONCE = 16

/** The open orders that would spend an output: one that offers it, one that it pays for. */
export interface OpenOrders {
  ask: OrderRecord | null
  bid: OrderRecord | null
}

/** An order that offers this output and is open, or null. */
async function openAskOf(views: QueuedViews, outpoint: OutpointText): Promise<OrderRecord | null> {
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

/**
 * An open bid that this output pays for, or null. What else a bid needs may have ended it alone, so
 * open ones are asked for by their states.
 */
async function openBidOf(views: QueuedViews, funding: OutpointText): Promise<OrderRecord | null> {
  const sorted = { sort: 'newest', hidden: 'either', limit: 1 } as const
  const any = await views.page({ funding, ...sorted, includeWithdrawn: true })
  if (any.total === 0) return null
  const bids = { ...bidsPaidBy(funding), ...sorted, states: OPEN }
  return (await views.page(bids)).orders[0]?.order ?? null
}

export type FindOpenOrders = (outpoints: readonly OutpointText[]) => Promise<OpenOrders[]>

/** The open orders of many outputs, in order. */
export async function openOrdersOf(
  views: QueuedViews,
  outpoints: readonly OutpointText[],
): Promise<OpenOrders[]> {
  const found: OpenOrders[] = []
  for (let at = 0; at < outpoints.length; at += AT_ONCE) {
    const some = outpoints.slice(at, at + AT_ONCE)
    found.push(
      ...(await Promise.all(
        some.map(async (outpoint) => ({
          ask: await openAskOf(views, outpoint),
          bid: await openBidOf(views, outpoint),
        })),
      )),
    )
  }
  return found
}
