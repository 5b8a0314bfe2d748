import { digestOfHoldings, holdingsOf } from '../../domain/assets/holdings.ts'
import { isContinuous, isLiveAsk } from '../../domain/order/continuity.ts'
import type { WatermarkRef } from '../../schemas/evidence.ts'
import type { PartitionSnapshot } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { BlockRef, OrderId, OutpointText } from '../../schemas/scalars.ts'
import type { PartitionOrders } from '../partition/partition-orders.ts'
import { LAST_ID } from '../partition/sweep-window.ts'

/** Most LIVE orders of one question: as many outputs as node and index are asked about at once. */
export const RENEWED_AT_ONCE = 500

/** What a LIVE order was verified by, as far as it may have changed: a few hundred bytes. */
export interface LiveOrder {
  id: OrderId
  outpoint: OutpointText
  /** The block of its output. */
  block: BlockRef | null
  /** Digest of what the output held; null: the index has not examined it, `apart`: see below. */
  holds: string | null
}

/** The question whether these orders are unchanged: returned by a step, carried out by the host. */
export interface RenewalQuestion {
  partition: number
  /** The last id that the pass had reached; null at its start. */
  after: OrderId | null
  /** All LIVE orders up to this id are among `orders`, or need no question. */
  upTo: OrderId
  begunAt: WatermarkRef
  /** By id. */
  orders: readonly LiveOrder[]
}

export interface RenewalParts {
  orders: Pick<PartitionOrders, 'liveIds' | 'peek'>
  pace(): Promise<void>
}

/** The pass of one partition over its LIVE orders that lost continuity: a question at a time. */
export class RenewalPass {
  readonly #parts: RenewalParts
  #isAsked = false

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  /** An answer has come, whether it is used or not. */
  answered(): void {
    this.#isAsked = false
  }

  /**
   * The next question; null while one is pending, if there is none, or while nothing is covered.
   */
  async next(partition: PartitionSnapshot | null): Promise<RenewalQuestion | null> {
    const { pass, seen, watermark } = partition ?? {}
    const isCovered = watermark?.epoch === seen?.epoch && watermark?.n === seen?.n
    if (this.#isAsked || !partition || !seen || pass?.over !== 'live' || !isCovered) return null
    this.#isAsked = true
    const { orders, pace } = this.#parts
    const ids = orders.liveIds(pass.after, RENEWED_AT_ONCE)
    const asked: LiveOrder[] = []
    for (const id of ids) {
      const order = orders.peek(id)
      if (order && isWanted(order, partition)) asked.push(liveOrder(order))
      await pace()
    }
    return {
      partition: partition.partition,
      after: pass.after,
      upTo: ids.length < RENEWED_AT_ONCE ? LAST_ID : (ids.at(-1) ?? LAST_ID),
      begunAt: seen,
      orders: asked,
    }
  }
}

/** An order verified under no watermark is due its own recheck. */
const isWanted = (order: OrderRecord, partition: PartitionSnapshot): boolean =>
  order.anchor?.watermark != null && !isContinuous(order, partition)

/**
 * An answer about many outputs does not say what is on which sat: such orders are asked about one
 * by one.
 */
const APART = 'apart'

function liveOrder(order: OrderRecord): LiveOrder {
  const { id, outpoint, outputBlock, indexProof } = order
  // So are bids: what pays for them is elsewhere.
  if (!isLiveAsk(order)) return { id, outpoint, block: null, holds: APART }
  const block = outputBlock && { height: outputBlock.height, hash: outputBlock.hash }
  if (!indexProof) return { id, outpoint, block, holds: null }
  const holdings = holdingsOf(indexProof)
  const isOnOneSat = holdings !== null && holdings.inscriptionIds.length < 2
  return { id, outpoint, block, holds: isOnOneSat ? digestOfHoldings(holdings) : APART }
}
