import { follows, precedes } from '../../domain/order/watermark-order.ts'
import type { WatermarkRef } from '../../schemas/evidence.ts'
import {
  LOG_SCHEMA,
  type PartitionSnapshot,
  type PartOfRecord,
  type Pass,
  type RenewalRecord,
  type Watermark,
} from '../../schemas/log.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { Moment } from '../events/order-events.ts'
import { LAST_ID } from './sweep-window.ts'

/** The start of a pass over all orders that lost continuity: LIVE ones come first. */
const FROM_THE_FIRST: Pass = { over: 'live', after: null }

/**
 * The partition's progress after this watermark; null if it has seen it before, or if its writer
 * was replaced. `pass` starts over when all orders lost continuity.
 */
export function advance(
  before: PartitionSnapshot | null,
  watermark: Watermark,
  { partition, lifecycleEnd }: Pick<PartitionSnapshot, 'partition' | 'lifecycleEnd'>,
): PartitionSnapshot | null {
  const { epoch, n } = watermark
  const seen = { epoch, n }
  if (before && !precedes(before.seen, seen)) return null
  const isLost = watermark.lost === 'all' || (before !== null && !follows(seen, before.seen))
  const pass = isLost && before ? FROM_THE_FIRST : before?.pass
  return {
    schema: LOG_SCHEMA,
    kind: 'partition',
    partition,
    seen,
    watermark: watermark.covers ? withoutNames(watermark) : (before?.watermark ?? null),
    continuousSince: isLost || !before ? seen : before.continuousSince,
    ...(isLost || before?.renewedUpTo === undefined ? {} : { renewedUpTo: before.renewedUpTo }),
    lifecycleEnd,
    ...(pass === undefined ? {} : { pass }),
  }
}

/** Its names have been processed. */
const withoutNames = (watermark: Watermark): Watermark => ({ ...watermark, touched: '' })

/**
 * The partition after a gap in the inbox: everything verified until now has lost continuity. It is
 * recorded at once, since the first watermark of a new epoch would hide what was lost before it.
 */
export const afterGap = ({
  part: _part,
  renewedUpTo: _renewed,
  ...partition
}: PartitionSnapshot): PartitionSnapshot => ({
  ...partition,
  continuousSince: { epoch: partition.seen.epoch, n: partition.seen.n + 1 },
  pass: FROM_THE_FIRST,
})

/** The partition with its pass over the others advanced to this id; undefined: it is finished. */
export function withPass(
  { pass: _, ...rest }: PartitionSnapshot,
  after: OrderId | undefined,
): PartitionSnapshot {
  return after === undefined ? rest : { ...rest, pass: { over: 'others', after } }
}

/** Is this the answer that the partition's pass waits for, and does it still hold? */
export function isAwaited(partition: SnapshotProgress, renewal: RenewalRecord): boolean {
  const { after, begunAt, tip } = renewal
  const pass = partition?.pass
  if (pass?.over !== 'live' || pass.after !== after) return false
  if (!isContinuousSince(partition, begunAt) || !isOfThisRun(partition, begunAt)) return false
  // A block known only to the node may leave the chain again, and no news would report that.
  return partition?.watermark?.tip.hash === tip.hash
}

/**
 * The partition with all LIVE asks up to this id renewed; the doubted ones are logged before
 * `lifecycleEnd`.
 */
export function withRenewed(
  { pass: _, ...rest }: PartitionSnapshot,
  { upTo, lifecycleEnd }: { upTo: OrderId; lifecycleEnd: number },
): PartitionSnapshot {
  const pass: Pass =
    upTo < LAST_ID ? { over: 'live', after: upTo } : { over: 'others', after: null }
  return { ...rest, renewedUpTo: upTo, lifecycleEnd, pass }
}

/** The partition as it was before a partially processed record, with how far that got. */
export const inPart = (before: PartitionSnapshot, part: PartOfRecord): PartitionSnapshot => ({
  ...before,
  part,
})

/** The last id the record at this offset has processed; empty if none. */
export const placeIn = (partition: PartitionSnapshot | null, offset: number): string =>
  partition?.part?.offset === offset ? partition.part.after : ''

type SnapshotProgress = PartitionSnapshot | null

/** Have watermarks been continuous since the one under which this question was asked? */
export const isContinuousSince = (
  partition: SnapshotProgress,
  begunAt: WatermarkRef | null,
): boolean => begunAt !== null && !precedes(begunAt, partition?.continuousSince ?? begunAt)

/**
 * Did node and ingest stay up since the question was asked? A node restarted meanwhile may have
 * answered from a chain that it has left again, between two reads of the same tip.
 */
export const isOfThisRun = (partition: SnapshotProgress, begunAt: WatermarkRef | null): boolean =>
  begunAt === null || begunAt.epoch === partition?.seen.epoch

/** A time with the last watermark before it. */
export function momentOf(partition: SnapshotProgress, at: string): Moment {
  const watermark = partition?.watermark ?? null
  return { at, watermark: watermark && { ...watermark, ...partition?.seen } }
}
