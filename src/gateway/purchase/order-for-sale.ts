import type { AssetIndex } from '../../ports/authorities/asset-index.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { requireShown } from '../commands/hide-order.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { findAny } from '../order/read-order.ts'
import { summarise } from '../order/summarise.ts'
import { RefusalError } from '../refusal.ts'
import { checkForBuyer } from './check-for-buyer.ts'

export interface SaleAuthorities {
  node: FullNode
  index: AssetIndex
}

/**
 * Both authorities: without an index no output can be known to be empty.
 *
 * @throws RefusalError NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE
 */
export function requireAuthorities(gateway: Pick<Gateway, 'node' | 'index'>): SaleAuthorities {
  const node = requireNode(gateway)
  const { index } = gateway
  if (!index) throw new RefusalError('ASSET_INDEX_UNAVAILABLE', 'no asset index is configured')
  return { node, index }
}

/** @throws RefusalError NODE_UNAVAILABLE */
export function requireNode({ node }: Pick<Gateway, 'node'>): FullNode {
  if (node) return node
  throw new RefusalError('NODE_UNAVAILABLE', 'no node is configured')
}

/**
 * An ask that is LIVE after both authorities were just asked again.
 *
 * @throws RefusalError ORDER_NOT_FOUND, ORDER_HIDDEN, ORDER_NOT_LIVE, ORDER_NOT_READY for a bid, and as
 *   `checkForBuyer`
 */
export async function recheckedAsk(
  gateway: CommandParts & Pick<Gateway, 'checks' | 'pool'>,
  id: string,
  signal: AbortSignal,
): Promise<StoredOrder> {
  const found = await findAny(gateway, id)
  // An order that is unproved, over, withdrawn or hidden is refused without asking an authority.
  if ('entry' in found) throw notLive(found.entry.order)
  const known = found.stored
  requireShown(known.order)
  requireNot(known.order, ['SETTLED', 'SPENT', 'WITHDRAWN'])
  const checked = await checkForBuyer(gateway, known, signal)
  // An operator may have hidden it meanwhile.
  requireShown(checked.order)
  const { state, kept } = checked.order
  if (state !== 'LIVE') throw notLive(checked.order)
  if (kept.offer.side !== 'ASK') {
    throw new RefusalError('ORDER_NOT_READY', 'the order is a bid: only an ask can be bought')
  }
  return checked
}

/**
 * A rechecked ask that any buyer can complete now: a quote requires no less.
 *
 * @throws RefusalError as `recheckedAsk`; ORDER_NOT_READY
 */
export async function handoffReady(
  gateway: CommandParts & Pick<Gateway, 'checks' | 'pool'>,
  id: string,
  signal: AbortSignal,
): Promise<StoredOrder> {
  const checked = await recheckedAsk(gateway, id, signal)
  const { summary, verification } = summarise(gateway, checked)
  if (summary.actionability === 'HANDOFF_READY') return checked
  if (verification.stale) {
    throw new RefusalError(
      'STILL_BEING_VERIFIED',
      `order ${id} is still being verified: ask again later`,
    )
  }
  const { state, actionability } = summary
  throw new RefusalError('ORDER_NOT_READY', `the order is ${state} and ${actionability}`)
}

function requireNot(order: OrderRecord, states: readonly OrderRecord['state'][]): void {
  if (states.includes(order.state)) throw notLive(order)
}

const notLive = ({ state, reason }: OrderRecord): RefusalError =>
  new RefusalError(
    'ORDER_NOT_LIVE',
    `the order is ${state} (${reason}): only a LIVE order can be bought`,
  )
