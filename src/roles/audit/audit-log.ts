import { isDeepStrictEqual } from 'node:util'
import { isOrderEdge } from '../../actors/order-edges.ts'
import { isSealed } from '../../domain/change-chain.ts'
import { foldOrder } from '../../domain/fold-order.ts'
import { partitionOf } from '../../domain/partition.ts'
import type { EventLog } from '../../ports/event-log.ts'
import {
  type ChangeRecord,
  LifecycleRecord,
  type OutcomeRecord,
  SnapshotRecord,
  TOPICS,
} from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport } from './report.ts'

/** What the lifecycle log says: every order as its fold, with the number of its changes. */
export interface FoldedLog {
  orders: Map<string, OrderRecord>
  changes: Map<string, number>
}

/** I1 to I4, I7, I10, I11 and I12 of every partition; the folded log for what comes after. */
export async function auditLog(log: EventLog, report: AuditReport): Promise<FoldedLog> {
  const folded: FoldedLog = { orders: new Map(), changes: new Map() }
  for (let partition = 0; partition < log.partitions; partition += 1) {
    await auditLifecycle(log, partition, folded, report)
    await auditSnapshots(log, partition, folded, report)
  }
  return folded
}

async function auditLifecycle(
  log: EventLog,
  partition: number,
  folded: FoldedLog,
  report: AuditReport,
): Promise<void> {
  const causes = new Set<string>()
  const outcomes: OutcomeRecord[] = []
  const inboxEnd = await log.end(TOPICS.inbox, partition)
  for await (const stored of readWhole(log, TOPICS.lifecycle, partition)) {
    const record = LifecycleRecord.parse(stored.value)
    const { cause, orderId } = record
    report.check(
      'I12',
      cause.partition === partition && cause.offset < inboxEnd,
      () =>
        `partition ${partition}: ${orderId} was caused by inbox offset ${cause.offset}, which is not there`,
    )
    if (record.kind === 'outcome') outcomes.push(record)
    else auditChange(record, { partition, partitions: log.partitions }, causes, folded, report)
  }
  auditOutcomes(outcomes, folded, report)
}

function auditChange(
  change: ChangeRecord,
  { partition, partitions }: { partition: number; partitions: number },
  causes: Set<string>,
  { orders, changes }: FoldedLog,
  report: AuditReport,
): void {
  const { orderId, seq, cause, fromState, toState } = change
  const before = orders.get(orderId) ?? null
  const place = `${orderId} seq ${seq}`
  const once = `${orderId} ${cause.offset} ${change.kind}`
  report.check(
    'I2',
    seq > (before?.seq ?? 0) && (change.kind !== 'transition' || !causes.has(once)),
    () => `${place} repeats seq ${before?.seq} or the cause at inbox offset ${cause.offset}`,
  )
  causes.add(once)
  // A reader follows one partition: an order that stood in two could be seen to go back.
  const home = partitionOf(change.outpoint, partitions)
  report.check(
    'I11',
    home === partition,
    () => `${place} stands in partition ${partition}, not ${home}`,
  )
  report.check(
    'I3',
    seq === (before?.seq ?? 0) + 1 && change.prevHash === (before?.hash ?? null),
    () => `${place} does not follow seq ${before?.seq ?? 0}`,
  )
  report.check('I3', isSealed(change), () => `${place} does not have the hash of its content`)
  const isEdge = fromState === (before?.state ?? null) && isOrderEdge(fromState, toState)
  report.check('I4', isEdge, () => `${place} went from ${fromState} to ${toState}`)
  report.check(
    'I10',
    toState !== 'LIVE' || fromState === 'LIVE' || isProved(change),
    () => `${place} became LIVE without every proof`,
  )
  if (seq !== (before?.seq ?? 0) + 1) return
  orders.set(orderId, foldOrder(before, change))
  changes.set(orderId, (changes.get(orderId) ?? 0) + 1)
}

/** LIVE needs the node's own word, on an output that is there, and a valid signature. */
function isProved({ evidence }: ChangeRecord): boolean {
  if (evidence?.node.status !== 'ready' || evidence.node.output.status !== 'unspent') return false
  const { signatures, funding } = evidence.node
  return [
    ...signatures.map(({ status }) => status),
    ...funding.map(({ signature }) => signature),
  ].includes('VALID')
}

function auditOutcomes(
  outcomes: readonly OutcomeRecord[],
  { orders }: FoldedLog,
  report: AuditReport,
): void {
  const seen = new Set<string>()
  for (const { requestId, orderId, outcome } of outcomes) {
    report.check('I2', !seen.has(requestId), () => `request ${requestId} was answered twice`)
    seen.add(requestId)
    if (outcome.status !== 'done') continue
    report.check(
      'I1',
      (orders.get(orderId)?.seq ?? 0) >= outcome.seq,
      () =>
        `request ${requestId} was told of ${orderId} seq ${outcome.seq}, which is not in the log`,
    )
  }
}

/** The present work of an actor, which the log does not carry. */
const withoutWork = ({ attempt: _attempt, pending: _pending, ...order }: OrderRecord) => order

async function auditSnapshots(
  log: EventLog,
  partition: number,
  { orders }: FoldedLog,
  report: AuditReport,
): Promise<void> {
  const latest = new Map<string, OrderRecord>()
  for await (const { value } of readWhole(log, TOPICS.snapshots, partition)) {
    const snapshot = SnapshotRecord.parse(value)
    if (snapshot.kind === 'order') latest.set(snapshot.order.id, snapshot.order)
  }
  for (const [id, snapshot] of latest) {
    const fold = orders.get(id)
    const same = fold && isDeepStrictEqual(withoutWork(snapshot), withoutWork(fold))
    report.check('I7', same === true, () => `the snapshot of ${id} is not the fold of its log`)
  }
}
