import { isOrderEdge } from '../../actors/order/order-edges.ts'
import { toActivity } from '../../domain/order/activity.ts'
import { isSealed } from '../../domain/order/change-chain.ts'
import { foldOrder } from '../../domain/order/fold-order.ts'
import { partitionOf } from '../../domain/order/partition.ts'
import type { EventLog } from '../../ports/log/event-log.ts'
import {
  type ChangeRecord,
  LifecycleRecord,
  type OutcomeRecord,
  TOPICS,
} from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { auditedHeads, type HeadJudges } from './audit-heads.ts'
import { FoldedLog, type LoggedOrder, type Reach } from './folded-log.ts'
import { lackOfProof } from './proof-of-live.ts'
import { type ProofJudges, WithdrawalProofs } from './proof-of-withdrawal.ts'
import { readWhole } from './read-whole.ts'
import type { AuditReport, Invariant } from './report.ts'

/**
 * I1 to I4 and I10 to I12 for every record of the lifecycle. An order's audit ends at its first
 * fault, so that each fault is reported once, under its own name.
 */
export async function auditLifecycle(
  log: EventLog,
  reach: readonly Reach[],
  report: AuditReport,
  judges: ProofJudges & Partial<HeadJudges>,
): Promise<FoldedLog> {
  const folded = new FoldedLog(reach)
  const withdrawals = new WithdrawalProofs(judges)
  for (const [partition, of] of reach.entries()) {
    const place = { partition, of, count: log.partitions }
    const reading = new PartitionReading({ folded, report, withdrawals }, place)
    const heads = await auditedHeads(log, partition, judges)
    for await (const { offset, value } of readWhole(log, TOPICS.lifecycle, partition)) {
      heads.take(offset, value)
      const record = LifecycleRecord.safeParse(value)
      const why = () => `partition ${partition}: the record at offset ${offset} cannot be read`
      if (!report.check('I3', record.success, why) || !record.data) continue
      if (record.data.kind === 'outcome') reading.outcome(record.data)
      else await reading.change(record.data, offset)
    }
    heads.report(report)
  }
  withdrawals.report(report)
  return folded
}

/** One partition, read from its first record to its last. */
class PartitionReading {
  readonly #folded: FoldedLog
  readonly #report: AuditReport
  readonly #withdrawals: WithdrawalProofs
  readonly #partition: number
  readonly #partitions: number
  readonly #reach: Reach
  /** Changes by order, inbox record and kind. */
  readonly #causes = new Set<string>()
  /** The highest seq that an outcome reported for an order. */
  readonly #reported = new Map<string, number>()
  #lastCause = 0

  constructor(
    parts: { folded: FoldedLog; report: AuditReport; withdrawals: WithdrawalProofs },
    { partition, of, count }: { partition: number; of: Reach; count: number },
  ) {
    this.#folded = parts.folded
    this.#report = parts.report
    this.#withdrawals = parts.withdrawals
    this.#partition = partition
    this.#partitions = count
    this.#reach = of
  }

  async change(change: ChangeRecord, offset: number): Promise<void> {
    const { orderId, seq } = change
    if (this.#folded.broken.has(orderId)) return
    const before = this.#folded.orders.get(orderId)
    const order = await this.#fold(change, before?.order ?? null)
    if (!order) return
    const isViewed = offset < (this.#reach.views ?? 0)
    const isRow = offset < (this.#reach.history ?? 0)
    this.#folded.orders.set(orderId, {
      order,
      partition: this.#partition,
      viewed: isViewed ? order : (before?.viewed ?? null),
      rows: (before?.rows ?? 0) + (isRow ? 1 : 0),
      rowsSeq: isRow ? seq : (before?.rowsSeq ?? 0),
    } satisfies LoggedOrder)
    if (!isViewed) this.#folded.behind.views += 1
    if (!isRow) this.#folded.behind.history += 1
    this.#trail(orderId, change.hash)
    const entry = toActivity(change)
    const { activity, laterActivity } = this.#folded
    if (entry) (isRow ? activity : laterActivity).set(entry.id, JSON.stringify(entry))
  }

  outcome(record: OutcomeRecord): void {
    const { requestId, orderId, outcome } = record
    const reported = this.#reported.get(orderId) ?? 0
    const seq = outcome.status === 'done' ? outcome.seq : reported
    const inLog = this.#folded.orders.get(orderId)?.order.seq ?? 0
    const expect = this.#expecting(orderId, `the outcome of request ${requestId}`)
    const isNew = !this.#folded.answered.has(requestId)
    this.#folded.answered.add(requestId)
    if (this.#folded.broken.has(orderId)) return
    const isSound =
      this.#isCaused(record, expect) &&
      expect('I2', isNew, 'is recorded twice') &&
      expect(
        'I1',
        seq <= inLog,
        `reports seq ${seq} of ${orderId}, but the log ends at ${inLog}`,
      ) &&
      expect(
        'I11',
        seq >= reported,
        `reports seq ${seq} of ${orderId}, but seq ${reported} was reported before`,
      )
    if (!isSound) return
    this.#reported.set(orderId, seq)
    this.#trail(orderId, trailOf(record))
  }

  /** The order after the change; null if it fails a check. */
  async #fold(change: ChangeRecord, before: OrderRecord | null): Promise<OrderRecord | null> {
    const { orderId, seq, fromState, toState, kind } = change
    const expect = this.#expecting(orderId, `${orderId} seq ${seq}`)
    const home = partitionOf(change.outpoint, this.#partitions)
    const last = before?.seq ?? 0
    const isMove = fromState !== toState
    const isSound =
      // A reader follows one partition: an order in two partitions could appear to go back.
      expect('I11', home === this.#partition, `is not in its partition ${home}`) &&
      this.#isCaused(change, expect) &&
      expect('I2', seq > last, `comes after seq ${last}`) &&
      expect('I2', this.#isFirstOf(change), 'is the second change by one inbox record') &&
      expect('I3', seq === last + 1, `comes after seq ${last}`) &&
      expect(
        'I3',
        change.prevHash === (before?.hash ?? null),
        'does not name the hash of the previous change',
      ) &&
      expect('I3', isSealed(change), 'has a hash that does not match its content') &&
      expect(
        'I4',
        fromState === (before?.state ?? null),
        `leaves ${fromState}, which was not its state`,
      ) &&
      expect('I4', isOrderEdge(fromState, toState), `goes from ${fromState} to ${toState}`) &&
      expect('I4', (kind === 'transition') === isMove, `has the wrong kind ${kind}`)
    if (!isSound) return null
    const order = folding(before, change)
    if (!expect('I3', order?.state === toState, 'does not result in an order with its state')) {
      return null
    }
    const lack = order ? await this.#lackOf(change, order) : null
    return expect('I10', lack === null, `is ${toState} without ${lack}`) ? order : null
  }

  async #lackOf(change: ChangeRecord, order: OrderRecord): Promise<string | null> {
    const { kind, toState } = change
    if (toState === 'LIVE' && kind !== 'noted') return lackOfProof(change, order)
    // What is verified of an order that is withdrawn withdraws it no more.
    const isWithdrawal = toState === 'WITHDRAWN' && kind === 'transition'
    return isWithdrawal ? await this.#withdrawals.lackOf(change, order) : null
  }

  /** Its inbox record is in this partition, was consumed, and not before an earlier record's. */
  #isCaused({ cause }: ChangeRecord | OutcomeRecord, expect: Expect): boolean {
    const { offset } = cause
    const { inbox } = this.#reach
    const isHere = cause.partition === this.#partition && offset < inbox
    const isLater = offset >= this.#lastCause
    this.#lastCause = Math.max(offset, this.#lastCause)
    return (
      expect(
        'I12',
        isHere,
        `was caused by inbox offset ${offset}, but the stored offset is ${inbox}`,
      ) &&
      expect('I2', isLater, `was caused by inbox offset ${offset}, which had been consumed before`)
    )
  }

  // One watermark may end an order's continuity and close it: noted changes differ by their reason.
  // An import also records what happened before it: those changes are numbered.
  #isFirstOf({ orderId, cause, kind, reason }: ChangeRecord): boolean {
    const what = kind === 'noted' ? reason : 'decided'
    const key = `${orderId} ${cause.offset} ${cause.told ?? 0} ${what}`
    const isFirst = !this.#causes.has(key)
    this.#causes.add(key)
    return isFirst
  }

  #expecting(orderId: OrderId, what: string): Expect {
    return (invariant, holds, violation) => {
      const place = `partition ${this.#partition}: ${what}`
      if (!this.#report.check(invariant, holds, () => `${place} ${violation}`)) {
        this.#folded.broken.add(orderId)
      }
      return holds
    }
  }

  #trail(orderId: OrderId, step: string): void {
    const trail = this.#folded.trails.get(orderId)
    if (trail) trail.push(step)
    else this.#folded.trails.set(orderId, [step])
  }
}

type Expect = (invariant: Invariant, holds: boolean, violation: string) => boolean

/** Identifies an outcome among everything written for an order. */
export const trailOf = ({ requestId, outcome }: OutcomeRecord): string =>
  `${requestId} ${JSON.stringify(outcome)}`

/** Null if the change yields no valid order. */
function folding(before: OrderRecord | null, change: ChangeRecord): OrderRecord | null {
  try {
    return foldOrder(before, change)
  } catch {
    return null
  }
}
