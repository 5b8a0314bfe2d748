import { partitionOf } from '../domain/order/partition.ts'
import type { EventLog } from '../ports/log/event-log.ts'
import type { OrderViews, PartitionFreshness } from '../ports/views/order-views.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Begun } from '../schemas/evidence.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/** How long a reading is used, milliseconds: with an older watermark, evidence only has to hold longer. */
export const WATERMARK_USED_MS = 250

/** The last watermark that the partition of an output is known to have consumed; null: none is known. */
export type WatermarkReader = (outpoint: OutpointText) => Promise<Begun | null>

export interface WatermarkReaderParts {
  log: Pick<EventLog, 'partitions'>
  views: Pick<OrderViews, 'freshness'>
  clock: Pick<Clock, 'monotonic'>
}

/** Reads the watermarks of all partitions at most four times a second. */
export function lastWatermark({ log, views, clock }: WatermarkReaderParts): WatermarkReader {
  let reading: { sinceMs: number; all: Promise<ReadonlyMap<number, PartitionFreshness>> } | null =
    null
  const read = () => {
    const now = clock.monotonic()
    if (!reading || now - reading.sinceMs >= WATERMARK_USED_MS) {
      const all = views.freshness().catch(() => new Map())
      reading = { sinceMs: now, all }
    }
    return reading.all
  }
  return async (outpoint) => {
    const freshness = (await read()).get(partitionOf(outpoint, log.partitions))
    if (!freshness) return null
    const { epoch, n, mempoolSequence } = freshness.watermark
    return { begunAt: { epoch, n }, mempoolSequence }
  }
}
