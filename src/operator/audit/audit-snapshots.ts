import { isDeepStrictEqual } from 'node:util'
import type { EventLog } from '../../ports/log/event-log.ts'
import { SnapshotRecord, TOPICS } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { ExistingActors, FoldedLog } from './folded-log.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport } from './report.ts'

/**
 * I7: the snapshot of an actor is the fold of its log. Both are written together, so a snapshot
 * ahead of the log reveals a lost change (I1).
 */
export async function auditSnapshots(
  log: EventLog,
  folded: FoldedLog,
  report: AuditReport,
): Promise<ExistingActors> {
  const kept = await readSnapshots(log, folded, report)
  for (const [id, snapshot] of kept.orders) {
    const inLog = folded.orders.get(id)?.order.seq ?? 0
    if (folded.broken.has(id)) continue
    const isLost = snapshot.seq > inLog
    report.check(
      'I1',
      !isLost,
      () => `${id} has a snapshot at seq ${snapshot.seq}, but the log ends at ${inLog}`,
    )
    if (isLost) folded.broken.add(id)
  }
  for (const [id, { order }] of folded.sound()) {
    const snapshot = kept.orders.get(id)
    const isSame = snapshot && isDeepStrictEqual(withoutWork(snapshot), withoutWork(order))
    report.check('I7', isSame === true, () =>
      snapshot
        ? `the snapshot of ${id} at seq ${snapshot.seq} is not the fold of its log`
        : `${id} has no snapshot`,
    )
  }
  return kept
}

async function readSnapshots(
  log: EventLog,
  { reach }: FoldedLog,
  report: AuditReport,
): Promise<ExistingActors> {
  const kept: ExistingActors = { orders: new Map(), watermarks: new Map(), parts: new Map() }
  for (const partition of reach.keys()) {
    for await (const { offset, value } of readWhole(log, TOPICS.snapshots, partition)) {
      const { data: snapshot } = SnapshotRecord.safeParse(value)
      const why = () => `partition ${partition}: the snapshot at offset ${offset} cannot be read`
      report.check('I7', snapshot !== undefined, why)
      if (snapshot?.kind === 'order') kept.orders.set(snapshot.order.id, snapshot.order)
      if (snapshot?.kind !== 'partition') continue
      if (snapshot.watermark) kept.watermarks.set(partition, snapshot.watermark)
      if (snapshot.part) kept.parts.set(partition, snapshot.part)
      else kept.parts.delete(partition)
    }
  }
  return kept
}

/** An actor's work in progress is not in the log; the replay covers it (replay.ts). */
const withoutWork = ({ attempt: _attempt, pending: _pending, ...order }: OrderRecord) => order
