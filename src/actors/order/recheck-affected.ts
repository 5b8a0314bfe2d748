import type { PartitionSnapshot, PartOfRecord, Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { isAbove, type PartitionOrders } from '../partition/partition-orders.ts'
import { placeIn } from '../partition/partition-progress.ts'

export interface RecheckParts {
  orders: Pick<PartitionOrders, 'above' | 'get'>
  /** Ids of the bids whose funding the watermark names. */
  bids: ReadonlySet<OrderId>
  /** The partition before this watermark; null: it is the first. */
  before: PartitionSnapshot | null
  /** The watermark's inbox offset. */
  offset: number
  /** Where a partial record must end. */
  partEnd: PartOfRecord | undefined
  /** Whether the rest is left to the next commit. */
  isFull(): boolean
  recheck(order: OrderRecord): void
  loseContinuity(order: OrderRecord): void
  pace(): Promise<void>
}

/**
 * Moves orders above the fork of a reorg or of the index, and bids whose funding was touched: as
 * many as fit in one commit, by id. Returns the last id moved, or null if there are no more.
 */
export async function recheckAffected(
  { forkHeight = Infinity, lost }: Watermark,
  parts: RecheckParts,
): Promise<OrderId | null> {
  const { orders, bids, before, offset, partEnd } = parts
  const lostAbove = typeof lost === 'object' ? lost.aboveHeight : Infinity
  const height = Math.min(forkHeight, lostAbove)
  const isEnd = (id: string) => id === partEnd?.after && offset === partEnd.offset
  for (const id of orders.above(height, bids, offset, placeIn(before, offset))) {
    const order = orders.get(id)
    if (order && bids.has(id)) {
      if (order.state === 'LIVE') parts.loseContinuity(order)
      else parts.recheck(order)
    } else if (order && isAbove(order, forkHeight)) parts.recheck(order)
    const moved = orders.get(id)
    if (moved && (moved.outputBlock?.height ?? 0) > lostAbove) parts.loseContinuity(moved)
    await parts.pace()
    if (before && (parts.isFull() || isEnd(id))) return id
  }
  return null
}
