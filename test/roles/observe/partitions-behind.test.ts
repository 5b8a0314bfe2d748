import { expect, test } from 'vitest'
import { MemorySnapshots } from '../../../src/actors/memory-snapshots.ts'
import type { InboxWorker, WorkerOutput } from '../../../src/ports/log/event-log.ts'
import { openMetrics } from '../../../src/roles/observe/metrics.ts'
import { withPartitionsBehind } from '../../../src/roles/observe/partitions-behind.ts'
import { watermark } from '../../support/log/watermarks.ts'
import { WorkerHost } from '../../support/log/worker-host.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { AT } from '../../support/orders/evidence.ts'

const NOTHING: WorkerOutput = { lifecycle: [], snapshots: [], dead: [] }
const worker = (): InboxWorker => ({
  step: async () => NOTHING,
  committed: () => {},
  close: async () => {},
})

/** What a real host leaves of a partition after these watermarks. */
async function consumed(...ns: number[]): Promise<MemorySnapshots> {
  const host = new WorkerHost()
  await host.tell(ns.map((n) => watermark(n)))
  return host.snapshots
}

test('a partition that consumes nothing falls behind the others, and is no longer reported once it has another owner', async () => {
  const clock = new ManualClock(Date.parse(AT))
  const metrics = openMetrics()
  const open = withPartitionsBehind(metrics, clock, async () => worker())
  const figures = async () => {
    const { values } = await (metrics.registry
      .getSingleMetric('market_partition_behind_seconds')
      ?.get() ?? { values: [] })
    return values.map(({ labels, value }) => [labels['partition'], value])
  }
  expect(await figures()).toEqual([])

  const state = { lifecycleEnd: () => 0 }
  const stopped = await open({ ...state, partition: 0, snapshots: await consumed(1) })
  const moving = await consumed(1)
  await open({ ...state, partition: 7, snapshots: moving })
  await open({ ...state, partition: 9, snapshots: new MemorySnapshots() })
  clock.advance(61_000)
  expect(await figures()).toEqual([
    ['0', 60],
    ['7', 60],
  ])

  const host = new WorkerHost()
  await host.tell([watermark(1), watermark(61)])
  const latest = host.partition
  if (!latest) throw new Error('no partition')
  moving.put([latest])
  expect(await figures()).toEqual([
    ['0', 60],
    ['7', 0],
  ])

  await stopped.close()
  expect(await figures()).toEqual([['7', 0]])
})
