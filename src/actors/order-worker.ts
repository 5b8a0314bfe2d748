import { isSeenFinal } from '../domain/due.ts'
import { partitionOf } from '../domain/partition.ts'
import { precedes } from '../domain/watermark-order.ts'
import type {
  InboxWorker,
  OpenWorker,
  PartitionState,
  Stored,
  WorkerOutput,
} from '../ports/event-log.ts'
import type { ErrorCode } from '../schemas/errors.ts'
import {
  type Cause,
  type CommandRecord,
  type EvidenceRecord,
  type ImportCommand,
  InboxRecord,
  type LifecycleRecord,
  LOG_SCHEMA,
  type OutputRecord,
  type PartitionSnapshot,
  type SnapshotRecord,
  type SpendRecord,
  type Watermark,
} from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import { SWEEP_PACE } from './audit-sweep.ts'
import { isCrowded } from './changes/checks.ts'
import { newOrder } from './changes/new-order.ts'
import { type JudgedBy, type Judgement, judgeOrder, type MarketOf } from './judge-order.ts'
import { newsEvent } from './news-event.ts'
import type { Moment, OrderEvent } from './order-events.ts'
import { PartitionOrders } from './partition-orders.ts'
import { advance, afterGap, withPass } from './partition-progress.ts'
import { type Question, questionOf } from './question.ts'
import { stepOrder } from './step-order.ts'
import { type IdRange, sweepWindow } from './sweep-window.ts'
import { WaitingOrders } from './waiting-orders.ts'
import { whyUnreadable } from './why-unreadable.ts'

/** Orders that one output may have, without and with a verified signature (design: Bounds). */
const MAX_ORDERS_AT_OUTPUT = 64
/** An answer that is not used: the question is put again. */
const DISCARDED: Judgement = { kind: 'discarded' }
/** Rechecks that one watermark may start: what waits longer goes with the next. */
const RECHECKS_PER_WATERMARK = 100
/** Orders that one watermark may hand to the sweep: far more than fall due between two. */
const SWEPT_PER_WATERMARK = 500

export interface OrderWorkerOptions {
  network: Network
  partitions: number
  marketOf: MarketOf
  /** Has the question asked; its answer comes back through the inbox as evidence. */
  ask(question: Question): void
  /** Hands over live orders for the audit sweep. */
  sweep(orders: readonly OrderRecord[]): void
  /** Milliseconds in which every LIVE order has its turn in the sweep; a day. */
  sweepDayMs?: number
  /** The sweep found a LIVE order that the authorities contradict: news was lost. */
  onDisagreement(order: OrderRecord, found: string): void
  onFault(error: unknown, record: Stored<unknown>): void
  /** Awaited between two orders: lets others have the event loop. */
  pace(): Promise<void>
}

/** Opens the host of one inbox partition: it routes records to virtual actors, step by step. */
export const openOrderWorker =
  (options: OrderWorkerOptions): OpenWorker =>
  async (state) => {
    const worker = new OrderWorker(options, state)
    await worker.resume()
    return worker
  }

/**
 * Whatever it decides follows from the orders and the records, never from where a batch ends or
 * when it was opened: so a replay of the partition gives the same orders.
 */
class OrderWorker implements InboxWorker {
  readonly #options: OrderWorkerOptions
  readonly #state: PartitionState
  readonly #orders: PartitionOrders
  readonly #waiting = new WaitingOrders()
  readonly #judgedBy: JudgedBy
  #partition: PartitionSnapshot | null
  #batch = emptyBatch()

  constructor(options: OrderWorkerOptions, state: PartitionState) {
    this.#options = options
    this.#state = state
    this.#judgedBy = {
      marketOf: options.marketOf,
      isContinuousSince: (watermark) => this.#isContinuousSince(watermark),
    }
    this.#orders = new PartitionOrders(state.snapshots)
    const partition = state.snapshots.partitionSnapshot() ?? null
    this.#partition = partition && state.hasGap ? afterGap(partition) : partition
  }

  /** Puts the questions again that were out, and finds who waits for what. */
  async resume(): Promise<void> {
    for (const id of this.#state.snapshots.unsettled()) {
      const order = this.#state.snapshots.order(id)?.order
      if (!order) continue
      if (order.pending) this.#options.ask(questionOf(order))
      this.#waiting.put(order)
      await this.#options.pace()
    }
  }

  async step(records: readonly Stored<unknown>[]): Promise<WorkerOutput> {
    for (const record of records) {
      const parsed = InboxRecord.safeParse(record.value)
      if (parsed.success) await this.#consume(parsed.data, record)
      else this.#bury(record, `unreadable: ${whyUnreadable(record.value)}`)
      await this.#options.pace()
    }
    const { lifecycle, dead } = this.#batch
    return { lifecycle, snapshots: this.#snapshots(), dead }
  }

  committed(): void {
    const { questions } = this.#batch
    this.#batch = emptyBatch()
    this.#orders.committed()
    for (const question of questions.values()) this.#options.ask(question)
  }

  // Nothing is held open: questions that are out are asked again by the partition's next owner.
  async close(): Promise<void> {}

  #snapshots(): SnapshotRecord[] {
    const orders = [...this.#orders.changed.values()].map(
      (order) => ({ schema: LOG_SCHEMA, kind: 'order', order }) as const,
    )
    return this.#partition ? [...orders, this.#partition] : orders
  }

  #bury(record: Stored<unknown>, reason: string): void {
    this.#batch.dead.push({ record, reason })
  }

  async #consume(value: InboxRecord, record: Stored<unknown>): Promise<void> {
    const { offset, partition } = record
    const source: Source = { record, cause: { partition, offset, kind: value.kind } }
    if (
      value.kind !== 'watermark' &&
      partitionOf(value.outpoint, this.#options.partitions) !== partition
    ) {
      this.#bury(record, `misplaced: ${value.outpoint} belongs to another partition`)
      return
    }
    switch (value.kind) {
      case 'watermark':
        await this.#watermark(value, source)
        break
      case 'command':
        source.cause.requestId = value.requestId
        this.#command(value, source)
        break
      case 'evidence':
        this.#evidence(value, source)
        break
      case 'output':
      case 'spend':
        this.#news(value, source)
    }
  }

  // ---- commands ---------------------------------------------------------------------------------

  #command(command: CommandRecord, source: Source): void {
    const order = this.#orders.get(command.orderId)
    const moment = this.#moment(command.at)
    const { requestId } = command
    if (order && addsToCrowd(command) && isCrowded(order)) {
      this.#refuse(command, source.cause, 'OVERLOADED', 'too many wait for this order: try again')
    } else if (command.command === 'import') {
      this.#import(command, order, source)
    } else if (!order) {
      this.#refuse(command, source.cause, 'ORDER_NOT_FOUND', 'no order with this id')
    } else if (command.command === 'revalidate') {
      this.#step(order, { type: 'REVALIDATE', requestId, ...moment }, source)
    } else if (command.command === 'withdraw') {
      const { by, reason } = command
      const event = { type: 'WITHDRAW', by, requestId, ...moment } as const
      this.#step(order, reason === undefined ? event : { ...event, reason }, source)
    } else if (order.state === 'LIVE' && order.pending === null) {
      this.#options.onDisagreement(order, command.found)
      this.#step(order, { type: 'RECHECK', purpose: 'audit', ...moment }, source)
    }
  }

  #import(command: ImportCommand, order: OrderRecord | undefined, source: Source): void {
    const { claim, requestId, orderId, outpoint, at } = command
    const moment = this.#moment(at)
    if (order) {
      this.#step(order, { type: 'IMPORT', claim, requestId, ...moment }, source)
    } else if (this.#isCrowded(outpoint)) {
      const message = `${outpoint} already has as many orders as are kept for one output`
      this.#refuse(command, source.cause, 'TOO_MANY_ORDERS_FOR_OUTPUT', message)
    } else {
      const made = newOrder(orderId, this.#options.network, { claim, at })
      this.#step(made, { type: 'CREATE', requestId, ...moment }, source)
    }
  }

  #isCrowded(outpoint: string): boolean {
    const orders = this.#orders.at(outpoint)
    const verified = orders.filter((o) => o.kept.inspection.signatureStatus === 'VALID').length
    return Math.max(verified, orders.length - verified) >= MAX_ORDERS_AT_OUTPUT
  }

  #refuse(
    { requestId, orderId }: Pick<CommandRecord, 'requestId' | 'orderId'>,
    cause: Cause,
    code: ErrorCode,
    message: string,
  ): void {
    const outcome = { status: 'refused', code, message } as const
    const schema = LOG_SCHEMA
    this.#batch.lifecycle.push({ schema, kind: 'outcome', requestId, orderId, outcome, cause })
  }

  // ---- evidence and news ------------------------------------------------------------------------

  #evidence({ orderId, attempt, evidence: found, at }: EvidenceRecord, source: Source): void {
    const order = this.#orders.get(orderId)
    // Not the answer that is waited for: a crash repeated the question, or another one is out.
    if (order?.pending?.attempt !== attempt) return
    const begunAt = this.#isContinuousSince(found.begunAt) ? found.begunAt : null
    const evidence = begunAt === found.begunAt ? found : { ...found, begunAt }
    this.#attempt(source, orderId, () => {
      const judgement = this.#isOfThisRun(found.begunAt)
        ? judgeOrder(order, evidence, this.#judgedBy)
        : DISCARDED
      return { order, event: { type: 'EVIDENCE', evidence, judgement, ...this.#moment(at) } }
    })
  }

  /** Was a question that was put under this watermark still under one unbroken run of them? */
  #isContinuousSince(begunAt: EvidenceRecord['evidence']['begunAt']): boolean {
    return begunAt !== null && !precedes(begunAt, this.#partition?.continuousSince ?? begunAt)
  }

  /**
   * Node and ingest stayed up since the question was put. A node that was restarted meanwhile may have
   * answered from a chain that it left again, between two looks at one and the same tip.
   */
  #isOfThisRun(begunAt: EvidenceRecord['evidence']['begunAt']): boolean {
    return begunAt === null || begunAt.epoch === this.#partition?.seen.epoch
  }

  #news(news: SpendRecord | OutputRecord, source: Source): void {
    const event = newsEvent(news, this.#moment(news.at))
    for (const order of this.#orders.at(news.outpoint)) this.#step(order, event, source)
  }

  // ---- watermarks -------------------------------------------------------------------------------

  async #watermark(watermark: Watermark, source: Source): Promise<void> {
    const before = this.#partition
    const { partition } = source.cause
    const lifecycleEnd = this.#state.lifecycleEnd() + this.#batch.lifecycle.length
    const now = advance(before, watermark, { partition, lifecycleEnd })
    if (!now) return
    this.#partition = now
    const moment = this.#moment(watermark.at)
    const { forkHeight, lost } = watermark
    if (forkHeight !== undefined) await this.#recheckAbove(forkHeight, moment, source)
    if (typeof lost === 'object') await this.#loseAbove(lost.aboveHeight, moment, source)
    const woken = await this.#wakeWaiting(watermark, moment, source)
    await this.#continuePass(RECHECKS_PER_WATERMARK - woken, moment, source)
    if (watermark.covers && before?.watermark) this.#sweep(before.watermark, watermark)
  }

  async #recheck(orders: Iterable<OrderRecord>, moment: Moment, source: Source): Promise<void> {
    for (const order of orders) {
      this.#step(order, { type: 'RECHECK', purpose: 'recheck', ...moment }, source)
      await this.#options.pace()
    }
  }

  async #recheckAbove(height: number, moment: Moment, source: Source): Promise<void> {
    await this.#recheck(this.#orders.above(height), moment, source)
  }

  async #loseAbove(height: number, moment: Moment, source: Source): Promise<void> {
    for (const order of this.#orders.above(height)) {
      if ((order.outputBlock?.height ?? 0) <= height) continue
      this.#step(order, { type: 'CONTINUITY_LOST', ...moment }, source)
      await this.#options.pace()
    }
  }

  async #wakeWaiting(watermark: Watermark, moment: Moment, source: Source): Promise<number> {
    const due = this.#waiting.due(watermark, RECHECKS_PER_WATERMARK)
    for (const { id, action } of due) {
      const order = this.#orders.get(id)
      if (!order) continue
      if (action === 'close' && this.#isCertain(order)) {
        this.#step(order, { type: 'CLOSE', ...moment }, source)
      } else await this.#recheck([order], moment, source)
    }
    return due.length
  }

  /** A spend is final by its block's depth only where nothing was lost that might have undone it. */
  #isCertain(order: OrderRecord): boolean {
    return isSeenFinal(order) || this.#isContinuousSince(order.anchor?.watermark ?? null)
  }

  // What has lost continuity is verified again, a few with each watermark.
  async #continuePass(budget: number, moment: Moment, source: Source): Promise<void> {
    if (!this.#partition?.pass || budget === 0) return
    const { over, after } = this.#partition.pass
    const orders = this.#orders[over](after, budget)
    this.#partition = withPass(
      this.#partition,
      orders.length < budget ? undefined : orders.at(-1)?.id,
    )
    await this.#recheck(
      orders.filter((order) => !this.#isContinuousSince(order.anchor?.watermark ?? null)),
      moment,
      source,
    )
  }

  #sweep(from: Watermark, to: Watermark): void {
    const inRange = ({ after, upTo }: IdRange) =>
      this.#orders.live(after, SWEPT_PER_WATERMARK, upTo)
    const { sweepDayMs = SWEEP_PACE.dayMs } = this.#options
    const window = sweepWindow(Date.parse(from.at), Date.parse(to.at), sweepDayMs)
    const orders = window.flatMap(inRange)
    if (orders.length > 0) this.#options.sweep(orders)
  }

  // ---- one step ---------------------------------------------------------------------------------

  #step(order: OrderRecord, event: OrderEvent, source: Source): void {
    this.#attempt(source, order.id, () => ({ order, event }))
  }

  /** One order's fault stops no other: its record is set aside, and nothing wakes it until news does. */
  #attempt(
    { record, cause }: Source,
    id: string,
    prepare: () => { order: OrderRecord; event: OrderEvent },
  ): void {
    try {
      const { order, event } = prepare()
      const step = stepOrder(event.type === 'CREATE' ? null : order, order, event, cause)
      const isSilent = !step.change && step.outcomes.length === 0
      if (isSilent && step.order.pending === order.pending) return
      if (step.asks) this.#batch.questions.set(id, questionOf(step.order))
      if (step.change) this.#batch.lifecycle.push(step.change)
      this.#batch.lifecycle.push(...step.outcomes)
      this.#orders.put(step.order)
      this.#waiting.put(step.order)
    } catch (error) {
      this.#options.onFault(error, record)
      this.#bury(record, `order ${id} failed: ${String(error)}`)
      this.#waiting.drop(id)
      if (cause.requestId === undefined) return
      const message = 'the order could not take this request: it was set aside'
      this.#refuse({ orderId: id, requestId: cause.requestId }, cause, 'INTERNAL', message)
    }
  }

  #moment(at: string): Moment {
    const watermark = this.#partition?.watermark ?? null
    return { at, watermark: watermark && { ...watermark, ...this.#partition?.seen } }
  }
}

/** What the steps of one batch made; it becomes visible with the batch's offset or not at all. */
interface Batch {
  lifecycle: LifecycleRecord[]
  dead: WorkerOutput['dead'][number][]
  questions: Map<string, Question>
}

/** What a gateway has verified finds room always. */
const addsToCrowd = (command: CommandRecord): boolean =>
  command.command === 'revalidate' || (command.command === 'import' && !command.claim.published)

const emptyBatch = (): Batch => ({ lifecycle: [], dead: [], questions: new Map() })

/** An inbox record with its place, as the cause of what it does. */
interface Source {
  record: Stored<unknown>
  cause: Cause
}
