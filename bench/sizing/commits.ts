import { cpus } from 'node:os'
import { openOrderWorker } from '../../src/actors/order-worker.ts'
import { partitionOf } from '../../src/domain/order/partition.ts'
import type { NewRecord, OpenWorker } from '../../src/ports/log/event-log.ts'
import { pace } from '../../src/runtime/time-slice.ts'
import { type InboxRecord, type LifecycleRecord, TOPICS } from '../../src/schemas/log.ts'
import type { OutpointText } from '../../src/schemas/scalars.ts'
import { toOutpointText } from '../../test/support/ids.ts'
import { idleWorker } from '../../test/support/log/idle-worker.ts'
import { watermark } from '../../test/support/log/watermarks.ts'
import { importOf } from '../../test/support/log/worker-host.ts'
import { askClaim, evidenceOf, hash } from '../../test/support/orders/evidence.ts'
import { systemClock as clock } from '../../test/support/system-clock.ts'
import { table } from '../harness/table.ts'
import { PARTITIONS, withKafka } from '../market/with-kafka.ts'

// One partition on Kafka, fed from a filled inbox of imports with the evidence of their gateway: each
// becomes a LIVE order in one step, which is committed with its offset and copied to the disk.

const IMPORTS = Number(process.env['BENCH_ORDERS'] ?? 6_000)
const APPENDED = 500
const PARTITION = 0
/** Bytes of a wrapper: an ask has about so many if its previous transaction is left out. */
const WRAPPER_BYTES = 700

/** So many outputs of the partition. */
function outputs(count: number): OutpointText[] {
  const found: OutpointText[] = []
  for (let n = 0; found.length < count; n += 1) {
    const outpoint = toOutpointText(`${hash(`output ${n}`)}:0`)
    if (partitionOf(outpoint, PARTITIONS) === PARTITION) found.push(outpoint)
  }
  return found
}

function importOfOutput(outpoint: OutpointText): InboxRecord {
  const wrapper = outpoint.padEnd(WRAPPER_BYTES, '.')
  const claim = askClaim({ offer: { outpoint }, wrapper })
  const node = evidenceOf().node
  if (node.status !== 'ready') throw new Error('the node answers')
  const signatures = node.signatures.map((one) => ({ ...one, digest: claim.inspection.digest }))
  const evidence = evidenceOf({ begunAt: { epoch: 1, n: 1 }, node: { ...node, signatures } })
  return importOf(claim, outpoint, hash(`order ${outpoint}`), evidence)
}

const inInbox = (key: string, value: InboxRecord): NewRecord => ({
  ...{ topic: TOPICS.inbox, partition: PARTITION, key, value },
})

const isLive = (record: LifecycleRecord): boolean =>
  record.kind === 'transition' && record.toState === 'LIVE'

await withKafka(async (open) => {
  const { log } = await open('worker')
  await log.append([inInbox('watermark', watermark(1))])
  const left = outputs(IMPORTS)
  while (left.length > 0) {
    const some = left.splice(0, APPENDED)
    await log.append(some.map((outpoint) => inInbox(outpoint, importOfOutput(outpoint))))
  }
  const stop = new AbortController()
  const openWorker = openOrderWorker({ ...idleWorker(PARTITIONS), pace: pace(clock) })
  let begun: { at: number; cpu: NodeJS.CpuUsage } | null = null
  let live = 0
  let commits = 0
  const counting: OpenWorker = async (state) => {
    const worker = await openWorker(state)
    let now = 0
    return {
      step: async (batch) => {
        begun ??= { at: performance.now(), cpu: process.cpuUsage() }
        const output = await worker.step(batch)
        now = output.lifecycle.filter(isLive).length
        return output
      },
      committed: () => {
        worker.committed()
        live += now
        commits += 1
        if (live < IMPORTS || !begun) return
        const seconds = (performance.now() - begun.at) / 1_000
        const { user, system } = process.cpuUsage(begun.cpu)
        console.log(
          table(
            ['one partition on Kafka, imports with evidence', 'imports/s', 'µs CPU', 'commits'],
            [
              [
                `${IMPORTS}, ${cpus().length} cores`,
                IMPORTS / seconds,
                (user + system) / IMPORTS,
                commits,
              ],
            ],
          ),
        )
        stop.abort()
      },
      close: () => worker.close(),
    }
  }
  await log.processInbox(counting, stop.signal)
})
