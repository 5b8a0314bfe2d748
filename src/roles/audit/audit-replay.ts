import { isDeepStrictEqual } from 'node:util'
import { MemorySnapshots } from '../../actors/memory-snapshots.ts'
import { openOrderWorker } from '../../actors/order-worker.ts'
import { marketRules } from '../../domain/market-rules.ts'
import type { EventLog, Stored } from '../../ports/event-log.ts'
import { TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { Network } from '../../schemas/scalars.ts'
import type { FoldedLog } from './audit-log.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport } from './report.ts'

const BATCH = 200

/** I8: the inbox, stepped once more by one clean process, gives the orders that the log has. */
export async function auditReplay(
  log: EventLog,
  network: Network,
  folded: FoldedLog,
  report: AuditReport,
): Promise<void> {
  for (let partition = 0; partition < log.partitions; partition += 1) {
    const replayed = await replay(log, network, partition)
    if (replayed === null) {
      report.skip('I8', 'inbox records past their retention are gone')
      continue
    }
    for (const order of replayed) {
      const inLog = folded.orders.get(order.id)
      report.check(
        'I8',
        inLog !== undefined && isSame(order, inLog),
        () =>
          `${order.id}: a clean replay ends at seq ${order.seq} ${order.state}, the log at seq ${inLog?.seq} ${inLog?.state}`,
      )
    }
  }
}

// A question that is out is the present work of an actor, not of the log.
function isSame(replayed: OrderRecord, inLog: OrderRecord): boolean {
  const { attempt: _a, pending: _p, ...one } = replayed
  const { attempt: _b, pending: _q, ...other } = inLog
  return isDeepStrictEqual(one, other)
}

async function replay(
  log: EventLog,
  network: Network,
  partition: number,
): Promise<OrderRecord[] | null> {
  const snapshots = new MemorySnapshots()
  let lifecycle = 0
  const open = openOrderWorker({
    network,
    partitions: log.partitions,
    marketOf: marketRules,
    ask: () => {},
    sweep: () => {},
    onDisagreement: () => {},
    onFault: () => {},
  })
  const worker = await open({ partition, snapshots, lifecycleEnd: () => lifecycle })
  let batch: Stored<unknown>[] = []
  const step = async () => {
    const output = await worker.step(batch)
    snapshots.put(output.snapshots)
    lifecycle += output.lifecycle.length
    worker.committed()
    batch = []
  }
  let next = 0
  for await (const record of readWhole(log, TOPICS.inbox, partition)) {
    if (record.offset !== next) return null
    next += 1
    batch.push(record)
    if (batch.length === BATCH) await step()
  }
  if (batch.length > 0) await step()
  return snapshots.orders()
}
