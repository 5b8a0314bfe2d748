import { LOG_SCHEMA, type Watermark } from '../../../src/schemas/log.ts'
import { AT, blockAt, MEDIAN_TIME, TIP_HEIGHT } from '../orders/evidence.ts'

/** A watermark of the first epoch, one second after another, node and index on one chain. */
export const watermark = (n: number, changes: Partial<Watermark> = {}): Watermark => ({
  schema: LOG_SCHEMA,
  kind: 'watermark',
  epoch: 1,
  n,
  at: new Date(Date.parse(AT) + n * 1_000).toISOString(),
  covers: true,
  tip: { ...blockAt(TIP_HEIGHT), medianTime: MEDIAN_TIME },
  mempoolSequence: n,
  index: { ...blockAt(TIP_HEIGHT), version: 'ord 1' },
  indexStatus: 'ready',
  touched: '',
  ...changes,
})
