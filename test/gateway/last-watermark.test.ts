import { describe, expect, test } from 'vitest'
import { partitionOf } from '../../src/domain/order/partition.ts'
import { lastWatermark, WATERMARK_USED_MS } from '../../src/gateway/last-watermark.ts'
import type { PartitionFreshness } from '../../src/ports/views/order-views.ts'
import { toOutpointText } from '../support/ids.ts'
import { watermark } from '../support/log/watermarks.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { hash, OUTPOINT } from '../support/orders/evidence.ts'

const PARTITIONS = 2
const HERE = partitionOf(OUTPOINT, PARTITIONS)
const ELSEWHERE = Array.from({ length: 99 }, (_, vout) =>
  toOutpointText(`${hash('elsewhere')}:${vout}`),
).find((outpoint) => partitionOf(outpoint, PARTITIONS) !== HERE)!

/** Views whose freshness of one partition a test sets. */
function opened() {
  const clock = new ManualClock()
  const world = { n: 3, isAway: false, reads: 0 }
  const read = lastWatermark({
    clock,
    log: { partitions: PARTITIONS },
    views: {
      freshness: async () => {
        world.reads += 1
        if (world.isAway) throw new Error('away')
        const shown = { watermark: { ...watermark(world.n), mempoolSequence: 10 * world.n } }
        return new Map([[HERE, shown as PartitionFreshness]])
      },
    },
  })
  return { clock, world, read }
}

describe('the last watermark of an output', () => {
  test('is the one that the views show of its partition', async () => {
    const { read } = opened()
    expect(await read(OUTPOINT)).toEqual({ begunAt: { epoch: 1, n: 3 }, mempoolSequence: 30 })
    expect(await read(ELSEWHERE)).toBeNull()
  })

  test('is read for all who ask within a quarter of a second, and is never newer than their question', async () => {
    const { clock, world, read } = opened()
    const [first] = await Promise.all([read(OUTPOINT), read(OUTPOINT), read(ELSEWHERE)])
    world.n = 4
    clock.advance(WATERMARK_USED_MS - 1)
    expect(await read(OUTPOINT)).toEqual(first)
    expect(world.reads).toBe(1)
    clock.advance(1)
    expect(await read(OUTPOINT)).toMatchObject({ begunAt: { n: 4 } })
    expect(world.reads).toBe(2)
  })

  test('is none while the views are away, and is read again once they are back', async () => {
    const { clock, world, read } = opened()
    world.isAway = true
    expect(await read(OUTPOINT)).toBeNull()
    world.isAway = false
    clock.advance(WATERMARK_USED_MS)
    expect(await read(OUTPOINT)).toMatchObject({ begunAt: { n: 3 } })
  })
})
