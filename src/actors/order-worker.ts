import { upToBytes } from '../domain/limits.ts'
import { isContinuous } from '../domain/order/continuity.ts'
import { isSeenFinal } from '../domain/order/due.ts'
import { partitionOf } from '../domain/order/partition.ts'
import { isProved } from '../domain/order/proved.ts'
import { givingWay } from '../domain/order/room.ts'
import { whyUnreadable } from '../domain/order/why-unreadable.ts'
import type {
  InboxWorker,
  OpenWorker,
  PartitionState,
  Stored,
  WorkerOutput,
} from '../ports/log/event-log.ts'
import { NewerRecordError } from '../ports/log/newer-record.ts'
import type { Evidence } from '../schemas/evidence.ts'
import {
  type CommandRecord,
  type EvidenceRecord,
  type ImportCommand,
  InboxRecord,
  LOG_SCHEMA,
  type OutputRecord,
  type PartitionSnapshot,
  type RenewalRecord,
  type SnapshotRecord,
  type SpendRecord,
  type Watermark,
} from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import { type JudgedBy, type Judgement, judgeOrder } from './events/judge-order.ts'
import type { Moment, OrderEvent } from './events/order-events.ts'
import { questionOf } from './events/question.ts'
import { hasMaxWaiting } from './order/changes/checks.ts'
import { madeOrder } from './order/made-order.ts'
import { objectionTo } from './order/objection-to-withdrawal.ts'
import { recheckAffected } from './order/recheck-affected.ts'
import { addsWaiting, commandEvent, newsEvent } from './order/record-events.ts'
import { stepOrder } from './order/step-order.ts'
import type { OrderWorkerOptions } from './order-worker-options.ts'
import { LostAnswers } from './partition/lost-answers.ts'
import { PartitionOrders } from './partition/partition-orders.ts'
import {
  advance,
  afterGap,
  inPart,
  isAwaited,
  isContinuousSince,
  isOfThisRun,
  momentOf,
  withPass,
  withRenewed,
} from './partition/partition-progress.ts'
import { RecentNews } from './partition/recent-news.ts'
import { VouchedOrders } from './partition/vouched-orders.ts'
import { STEP_BYTES, StepBatch, type StepSource } from './step-batch.ts'
import { SWEEP_PACE } from './sweep/audit-sweep.ts'
import { RenewalPass } from './sweep/renewal-pass.ts'
import { SweepSchedule } from './sweep-schedule.ts'
import { WaitingOrders } from './waiting-orders.ts'

/** An answer that is not used: the question is asked again. */
const DISCARDED: Judgement = { kind: 'discarded' }
const TOO_MANY_WAITING = 'too many wait for this order: try again'
const SET_ASIDE = 'the order could not take this request: it was set aside'
/** Records passed over between two questions whether the event loop wants its turn. */
const PASSED_AT_ONCE = 64
/** Rechecks that one watermark may start: the rest wait for the next. */
const RECHECKS_PER_WATERMARK = 100

/** Opens the host of one inbox partition: it routes records to virtual actors, step by step. */
export const openOrderWorker =
  (options: OrderWorkerOptions): OpenWorker =>
  async (state) => {
    const worker = new OrderWorker(options, state)
    await worker.resume()
    return worker
  }

/**
 * Its decisions depend only on the orders and the records, never on where a batch ends or when the
 * worker was opened: so a replay of the partition gives the same orders.
 */
class OrderWorker implements InboxWorker {
  readonly #options: OrderWorkerOptions
  readonly #state: PartitionState
  readonly #orders: PartitionOrders
  readonly #waiting = new WaitingOrders()
  readonly #judgedBy: JudgedBy
  readonly #renewals: RenewalPass
  readonly #sweep: SweepSchedule
  readonly #recent: RecentNews
  readonly #vouched: VouchedOrders
  readonly #answers = new LostAnswers()
  #partition: PartitionSnapshot | null
  /** The partition as last committed to the snapshots. */
  #committed: PartitionSnapshot | null
  #batch = new StepBatch()

  constructor(options: OrderWorkerOptions, state: PartitionState) {
    this.#options = options
    this.#state = state
    this.#judgedBy = {
      marketOf: options.marketOf,
      isContinuousSince: (watermark) => isContinuousSince(this.#partition, watermark),
      followed: () => this.#partition?.watermark?.tip ?? null,
    }
    this.#orders = new PartitionOrders(state.snapshots)
    const partition = state.snapshots.partitionSnapshot() ?? null
    this.#committed = partition
    this.#partition = partition && state.hasGap ? afterGap(partition) : partition
    this.#recent = new RecentNews(partition?.news)
    this.#vouched = new VouchedOrders(partition?.vouched)
    this.#renewals = new RenewalPass({ orders: this.#orders, pace: options.pace })
    const sinceMs = partition?.watermark ? Date.parse(partition.watermark.at) : null
    this.#sweep = new SweepSchedule(this.#orders, {
      dayMs: options.sweepDayMs ?? SWEEP_PACE.dayMs,
      sinceMs,
      first: this.#vouched,
    })
  }

  /** Finds which outputs are on offer and which orders wait for what; asks open questions again. */
  async resume(): Promise<void> {
    await this.#orders.watch(this.#options.pace)
    for (const id of this.#state.snapshots.unsettled()) {
      const order = this.#state.snapshots.order(id)?.order
      if (!order) continue
      if (order.pending) this.#options.ask(questionOf(order))
      this.#waiting.put(order)
      await this.#options.pace()
    }
  }

  async step(records: readonly Stored<unknown>[]): Promise<WorkerOutput> {
    const { pace, monotonic = () => 0 } = this.#options
    await this.#orders.refresh(pace)
    let taken = 0
    for (const record of records) {
      const { newsOf } = record
      if (newsOf !== undefined) this.#recent.add(newsOf)
      if (newsOf !== undefined && this.#isOfNoOrder(newsOf)) {
        taken += 1
        if (taken % PASSED_AT_ONCE === 0) await pace()
        continue
      }
      const since = monotonic()
      const parsed = InboxRecord.safeParse(record.value)
      // What precedes it is committed first.
      if (!parsed.success && taken > 0 && NewerRecordError.isOf(record.value)) break
      const isWhole = parsed.success ? await this.#consume(parsed.data, record) : true
      if (!parsed.success) {
        NewerRecordError.refuse(record.value)
        this.#batch.deadLetter(record, `unreadable: ${whyUnreadable(record.value)}`)
      }
      this.#batch.took(monotonic() - since)
      await pace()
      if (isWhole) taken += 1
      if (!isWhole || this.#batch.isDue) break
    }
    return this.#output(taken)
  }

  /** News of an output that no order of the partition offers: its value is not even parsed. */
  #isOfNoOrder(outpoint: string): boolean {
    return !this.#options.readsAll && !this.#orders.mayBeAt(outpoint)
  }

  /** Lost news may concern any order: everything verified until now has lost continuity. */
  async setAside(record: Stored<unknown>, reason: string): Promise<WorkerOutput> {
    this.#batch.deadLetter(record, reason)
    const { data: value } = InboxRecord.safeParse(record.value)
    if (value?.kind === 'command') {
      const { partition, offset } = record
      const cause = { partition, offset, kind: value.kind, requestId: value.requestId }
      this.#batch.refuse(value, cause, 'INTERNAL', SET_ASIDE)
    } else if (this.#partition) this.#partition = afterGap(this.#partition)
    return this.#output(1)
  }

  committed(): void {
    const { questions, renewal } = this.#batch
    if (this.#isWritten) this.#recent.committed()
    this.#batch = new StepBatch()
    this.#orders.committed()
    this.#committed = this.#partition
    for (const question of questions.values()) this.#options.ask(question)
    if (renewal) this.#options.renew(renewal)
  }

  // Nothing to release: the partition's next owner asks open questions again.
  async close(): Promise<void> {}

  #output(taken: number): WorkerOutput {
    const { lifecycle, dead } = this.#batch
    const owed =
      this.#partition && this.#recent.isChanged ? [this.#partitionSnapshot(this.#partition)] : []
    return { lifecycle, snapshots: this.#snapshots(), dead, taken, owed }
  }

  /** Does the step write snapshots? */
  get #isWritten(): boolean {
    return !this.#batch.isSilent || this.#partition !== this.#committed
  }

  #snapshots(): SnapshotRecord[] {
    if (!this.#isWritten) return []
    const orders = [...this.#orders.changed.values()].map(
      (order) => ({ schema: LOG_SCHEMA, kind: 'order', order }) as const,
    )
    return this.#partition ? [...orders, this.#partitionSnapshot(this.#partition)] : orders
  }

  #partitionSnapshot(partition: PartitionSnapshot): PartitionSnapshot {
    const { vouched: _before, ...rest } = partition
    const vouched = this.#vouched.stored()
    return { ...rest, news: this.#recent.stored(), ...(vouched && { vouched }) }
  }

  /** False: the record has more to do once this part is committed. */
  async #consume(value: InboxRecord, record: Stored<unknown>): Promise<boolean> {
    const { offset, partition } = record
    const source: StepSource = { record, cause: { partition, offset, kind: value.kind } }
    if (
      'outpoint' in value &&
      partitionOf(value.outpoint, this.#options.partitions) !== partition
    ) {
      this.#batch.deadLetter(record, `misplaced: ${value.outpoint} belongs to another partition`)
      return true
    }
    // It would be passed over where no order has the output that its key names.
    if (record.newsOf !== undefined && 'outpoint' in value && record.newsOf !== value.outpoint) {
      this.#batch.deadLetter(record, `misplaced: its key is not its output ${value.outpoint}`)
      return true
    }
    switch (value.kind) {
      case 'watermark':
        return await this.#watermark(value, source)
      case 'renewal':
        await this.#renewed(value, source)
        break
      case 'command':
        source.cause.requestId = value.requestId
        await this.#command(value, source)
        break
      case 'evidence':
        this.#evidence(value, source)
        break
      case 'output':
      case 'spend':
        this.#news(value, source)
    }
    return true
  }

  // ---- commands ---------------------------------------------------------------------------------

  async #command(command: CommandRecord, source: StepSource): Promise<void> {
    const order = this.#orders.get(command.orderId)
    const moment = momentOf(this.#partition, command.at)
    if (order && addsWaiting(command) && hasMaxWaiting(order)) {
      this.#batch.refuse(command, source.cause, 'OVERLOADED', TOO_MANY_WAITING)
    } else if (command.command === 'import') {
      this.#import(command, order, source)
    } else if (!order) {
      this.#batch.refuse(command, source.cause, 'ORDER_NOT_FOUND', 'no order with this id')
    } else if (command.command === 'withdraw') {
      const objection = await objectionTo(order, command, this.#options.proofs)
      if (objection) this.#batch.refuse(command, source.cause, 'INVALID_PROOF', objection)
      else this.#step(order, commandEvent(command, moment), source)
    } else if (command.command !== 'audit') {
      this.#step(order, commandEvent(command, moment), source)
    } else if (order.state === 'LIVE' && order.pending === null) {
      this.#options.onDisagreement(order, command.found)
      this.#step(order, { type: 'RECHECK', purpose: 'audit', ...moment }, source)
    }
  }

  #import(command: ImportCommand, order: OrderRecord | undefined, source: StepSource): void {
    const { claim, requestId, orderId, at } = command
    const moment = momentOf(this.#partition, at)
    if (order) this.#step(order, { type: 'IMPORT', claim, requestId, ...moment }, source)
    else this.#create(command, source)
    const now = this.#orders.get(orderId)
    const hasCome = now?.closedAt === null && order?.closedAt !== null
    if (hasCome) this.#makeRoom(now, moment, source)
  }

  #create(command: ImportCommand, source: StepSource): void {
    const { requestId, orderId } = command
    const evidence = this.#stillTrue(command)
    const { order, begunAt, recalls } = madeOrder(command, this.#options.network)
    const begin = momentOf(this.#partition, begunAt)
    this.#step(order, { type: 'CREATE', requestId, ...begin }, source)
    const { requestId: _answeredByItsVerdict, ...cause } = source.cause
    for (const [n, recall] of recalls.entries()) {
      const known = this.#orders.get(orderId)
      const event = { ...momentOf(this.#partition, recall.at), ...recall }
      const origin = { record: source.record, cause: { ...cause, told: n + 1 } }
      if (known) this.#step(known, event, origin)
    }
    const { pending } = this.#orders.get(orderId) ?? {}
    if (!evidence || !pending) return
    const origin = { record: source.record, cause: { ...cause, told: recalls.length + 1 } }
    const { attempt } = pending
    this.#evidence({ orderId, attempt, evidence, at: evidence.answeredAt }, origin)
    if (this.#orders.get(orderId)?.state === 'LIVE') this.#vouched.add(orderId)
  }

  /** A gateway's evidence, unless the partition had news of the output since it was begun (ADR 108). */
  #stillTrue({ evidence, outpoint }: ImportCommand): Evidence | null {
    const begunAt = evidence?.begunAt
    if (!evidence || !begunAt) return null
    const isTrue =
      isOfThisRun(this.#partition, begunAt) &&
      isContinuousSince(this.#partition, begunAt) &&
      this.#recent.isQuietSince(begunAt, outpoint)
    return isTrue ? evidence : null
  }

  /** Nothing is refused for lack of room: other orders of its output are closed for the new one. */
  #makeRoom({ id, outpoint }: OrderRecord, moment: Moment, { record, cause }: StepSource): void {
    const { requestId: _askedByAnother, ...room } = cause
    for (const order of givingWay(this.#orders.at(outpoint), id, this.#options.room))
      this.#step(order, { type: 'MAKE_ROOM', ...moment }, { record, cause: room })
  }

  // ---- evidence and news ------------------------------------------------------------------------

  #evidence(
    { orderId, attempt, evidence: found, at }: Omit<EvidenceRecord, 'schema' | 'kind' | 'outpoint'>,
    source: StepSource,
  ): void {
    const order = this.#orders.get(orderId)
    // Not the awaited answer: a crash repeated the question, or another one is out.
    if (order?.pending?.attempt !== attempt) return
    const begunAt = isContinuousSince(this.#partition, found.begunAt) ? found.begunAt : null
    const evidence = begunAt === found.begunAt ? found : { ...found, begunAt }
    const isTaken = this.#attempt(source, orderId, () => {
      const judgement = isOfThisRun(this.#partition, found.begunAt)
        ? judgeOrder(order, evidence, this.#judgedBy)
        : DISCARDED
      return {
        order,
        event: { type: 'EVIDENCE', evidence, judgement, ...momentOf(this.#partition, at) },
      }
    })
    this.#answers.note(orderId, attempt, isTaken)
    const now = this.#orders.get(orderId)
    if (now && isProved(now) && !isProved(order))
      this.#makeRoom(now, momentOf(this.#partition, at), source)
  }

  #news(news: SpendRecord | OutputRecord, source: StepSource): void {
    this.#recent.add(news.outpoint)
    const event = newsEvent(news, momentOf(this.#partition, news.at))
    for (const order of this.#orders.at(news.outpoint)) this.#step(order, event, source)
  }

  // ---- watermarks -------------------------------------------------------------------------------

  async #watermark(watermark: Watermark, source: StepSource): Promise<boolean> {
    const before = this.#partition
    const { partition, offset } = source.cause
    const now = advance(before, watermark, { partition, lifecycleEnd: this.#lifecycleEnd() })
    if (!now) return true
    this.#partition = now
    const moment = momentOf(this.#partition, watermark.at)
    const after = await recheckAffected(watermark, {
      orders: this.#orders,
      bids: this.#waiting.touched(watermark),
      before,
      offset,
      partEnd: this.#options.partEnd,
      isFull: () => this.#batch.isFull,
      pace: this.#options.pace,
      recheck: (order) =>
        this.#step(order, { type: 'RECHECK', purpose: 'recheck', ...moment }, source),
      loseContinuity: (order) => this.#step(order, { type: 'CONTINUITY_LOST', ...moment }, source),
    })
    if (before && after !== null) {
      // The watermark's freshness counts only once the last order it moves is done.
      this.#partition = inPart(before, { offset, after })
      return false
    }
    const isCut = watermark.forkHeight !== undefined || watermark.lost !== undefined
    this.#recent.advance(now.seen, isCut || before?.seen.epoch !== now.seen.epoch)
    for (const question of this.#answers.take(this.#orders))
      this.#batch.questions.set(question.orderId, question)
    const woken = await this.#wakeWaiting(watermark, moment, source)
    await this.#continuePass(RECHECKS_PER_WATERMARK - woken, moment, source)
    this.#batch.renewal ??= await this.#renewals.next(this.#partition)
    this.#vouched.reach(Date.parse(watermark.at))
    if (watermark.covers) await this.#sweep.handOver(this.#options, Date.parse(watermark.at))
    return true
  }

  #lifecycleEnd(): number {
    return this.#state.lifecycleEnd() + this.#batch.lifecycle.length
  }

  async #recheck(orders: Iterable<OrderRecord>, moment: Moment, source: StepSource): Promise<void> {
    for (const order of orders) {
      this.#step(order, { type: 'RECHECK', purpose: 'recheck', ...moment }, source)
      await this.#options.pace()
    }
  }

  async #wakeWaiting(watermark: Watermark, moment: Moment, source: StepSource): Promise<number> {
    const due = this.#waiting.due(watermark, RECHECKS_PER_WATERMARK).flatMap(({ id, action }) => {
      const order = this.#orders.get(id)
      return order ? [{ order, action }] : []
    })
    const woken = upToBytes(due, ({ order }) => order, STEP_BYTES)
    for (const { order, action } of woken) {
      // A spend is final by its block's depth only if no news was lost that might have undone it.
      if (action === 'close' && (isSeenFinal(order) || isContinuous(order, this.#partition)))
        this.#step(order, { type: 'CLOSE', ...moment }, source)
      else await this.#recheck([order], moment, source)
    }
    return woken.length < due.length ? RECHECKS_PER_WATERMARK : due.length
  }

  /** Restores continuity to LIVE orders that lost it; those in doubt are verified again. */
  async #renewed(renewal: RenewalRecord, source: StepSource): Promise<void> {
    this.#renewals.answered()
    if (!this.#partition || !isAwaited(this.#partition, renewal)) return
    const moment = momentOf(this.#partition, renewal.at)
    let { upTo } = renewal
    for (const id of renewal.doubted) {
      const order = this.#orders.get(id)
      if (order) this.#step(order, { type: 'CONTINUITY_LOST', ...moment }, source)
      await this.#options.pace()
      if (!this.#batch.isFull) continue
      upTo = id
      break
    }
    this.#partition = withRenewed(this.#partition, { upTo, lifecycleEnd: this.#lifecycleEnd() })
    // Doubted orders are asked about one by one: no more of them before the next watermark.
    if (renewal.doubted.length > 0) return
    this.#batch.renewal ??= await this.#renewals.next(this.#partition)
  }

  // The others that lost continuity are verified again, a few with each watermark.
  async #continuePass(budget: number, moment: Moment, source: StepSource): Promise<void> {
    if (this.#partition?.pass?.over !== 'others' || budget === 0) return
    const next = this.#orders.others(this.#partition.pass.after, budget)
    const orders = upToBytes(next, (order) => order, STEP_BYTES)
    const isLast = next.length < budget && orders.length === next.length
    this.#partition = withPass(this.#partition, isLast ? undefined : orders.at(-1)?.id)
    const interrupted = orders.filter((order) => !isContinuous(order, this.#partition))
    await this.#recheck(interrupted, moment, source)
  }

  // ---- one step ---------------------------------------------------------------------------------

  #step(order: OrderRecord, event: OrderEvent, source: StepSource): void {
    this.#attempt(source, order.id, () => ({ order, event }))
  }

  /**
   * One order's fault stops no other: its record is set aside, and only news wakes the order, or an
   * answer that it awaits. False: it failed.
   */
  #attempt(
    { record, cause }: StepSource,
    id: OrderRecord['id'],
    prepare: () => { order: OrderRecord; event: OrderEvent },
  ): boolean {
    try {
      const { order, event } = prepare()
      const step = stepOrder(event.type === 'CREATE' ? null : order, order, event, cause)
      const isSilent = !step.change && step.outcomes.length === 0
      if (isSilent && step.order.pending === order.pending) return true
      this.#batch.weigh(step)
      if (step.asks) this.#batch.questions.set(id, questionOf(step.order))
      else if (step.order.pending === null) this.#batch.questions.delete(id)
      if (step.change) this.#batch.lifecycle.push(step.change)
      this.#batch.lifecycle.push(...step.outcomes)
      this.#orders.put(step.order)
      this.#waiting.put(step.order)
      return true
    } catch (error) {
      this.#options.onFault(error, record)
      this.#batch.deadLetter(record, `order ${id} failed: ${String(error)}`)
      this.#waiting.drop(id)
      const { requestId } = cause
      if (requestId !== undefined)
        this.#batch.refuse({ orderId: id, requestId }, cause, 'INTERNAL', SET_ASIDE)
      return false
    }
  }
}
