import type { WatermarkRef } from '../../schemas/evidence.ts'
import type { PsbtInspection } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { precedes } from './watermark-order.ts'

/** How far a partition vouches for its orders. */
export interface Continuity {
  /** Orders verified before this watermark have lost continuity. */
  continuousSince: WatermarkRef
  /** LIVE asks up to this id have regained it since (ADR 61). */
  renewedUpTo?: string
}

/** The fields of an order that a partition's progress can renew. */
export interface Renewable extends Pick<OrderRecord, 'id' | 'state' | 'verifiedAt'> {
  kept: { inspection: Pick<PsbtInspection, 'orderClass'> }
  anchor: Pick<NonNullable<OrderRecord['anchor']>, 'watermark' | 'ahead'> | null
  spend: object | null
}

/** Is it an ask for sale? Its partition receives all news that could change that. */
export const isLiveAsk = ({ state, kept }: Pick<Renewable, 'state' | 'kept'>): boolean =>
  state === 'LIVE' && kept.inspection.orderClass === 'ASK_ANYONECANPAY'

/** Is the order's last verification as current as its partition's last watermark? */
export function isContinuous(
  order: Pick<Renewable, 'id' | 'state' | 'kept' | 'anchor'>,
  partition: Continuity | null,
): boolean {
  const verifiedUnder = order.anchor?.watermark
  if (!verifiedUnder || !partition) return false
  const { continuousSince, renewedUpTo = '' } = partition
  if (!precedes(verifiedUnder, continuousSince)) return true
  return order.id <= renewedUpTo && isLiveAsk(order)
}

/**
 * The watermark under which an order was verified, if later ones can vouch for it; null otherwise.
 * A verdict on a block not yet reported to the partition counts only from its own time.
 */
export const heldUnder = ({
  state,
  spend,
  verifiedAt,
  anchor,
}: Pick<Renewable, 'state' | 'spend' | 'verifiedAt' | 'anchor'>): WatermarkRef | null =>
  state === 'LIVE' && spend === null && verifiedAt !== null && !anchor?.ahead
    ? (anchor?.watermark ?? null)
    : null
