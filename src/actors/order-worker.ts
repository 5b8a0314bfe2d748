import { LRUCache } from 'lru-cache'
import { type Due, duesOf, isDue } from '../domain/due.ts'
import { partitionOf } from '../domain/partition.ts'
import type {
  InboxWorker,
  OpenWorker,
  PartitionState,
  Stored,
  WorkerOutput,
} from '../ports/event-log.ts'
import {
  type Cause,
  type CommandRecord,
  type EvidenceRecord,
  type ImportCommand,
  InboxRecord,
  LOG_SCHEMA,
  type OutputRecord,
  type PartitionSnapshot,
  type SpendRecord,
  type Watermark,
} from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import { Batch } from './batch.ts'
import { judgeOrder, type MarketOf } from './judge-order.ts'
import { newsEvent } from './news-event.ts'
import { newOrder } from './order-changes.ts'
import type { Moment, OrderEvent } from './order-events.ts'
import { type Question, questionOf } from './question.ts'
import { stepOrder } from './step-order.ts'
import { follows, isBefore } from './watermark-order.ts'

/** Orders that one output may have, without and with a verified signature (design: Bounds). */
const MAX_ORDERS_AT_OUTPUT = 64
/** Orders kept awake; the rest live as snapshots. */
const AWAKE_ORDERS = 5_000
/** Rechecks that one watermark may start: what waits longer goes with the next. */
const RECHECKS_PER_WATERMARK = 100
/** A sweep passes every live order once a day. */
const SWEEP_SECONDS = 86_400
const SWEEP_LEAST_ORDERS = 1_000

export interface OrderWorkerOptions {
  network: Network
  partitions: number
  marketOf: MarketOf
  /** Has the question asked; its answer comes back through the inbox as evidence. */
  ask(question: Question): void
  /** Hands over live orders for the audit sweep. */
  sweep(orders: readonly OrderRecord[]): void
  /** The sweep found a LIVE order that the authorities contradict: news was lost. */
  onDisagreement(order: OrderRecord, found: string): void
  onFault(error: unknown, record: Stored<unknown>): void
}

/** Opens the host of one inbox partition: it routes records to virtual actors, step by step. */
export const openOrderWorker =
  (options: OrderWorkerOptions): OpenWorker =>
  async (state) => {
    const worker = new OrderWorker(options, state)
    await worker.resume()
    return worker
  }

class OrderWorker implements InboxWorker {
  readonly #options: OrderWorkerOptions
  readonly #state: PartitionState
  readonly #awake = new LRUCache<string, OrderRecord>({ max: AWAKE_ORDERS })
  readonly #waiting = new Map<string, Due[]>()
  #partition: PartitionSnapshot | null
  #batch = new Batch()
  #sweepCursor: string | null = null
  #sweepCarry = 0
  #sweepCount = 0
  #sweepSize = 0
  /** The id after which the pass over orders without continuity goes on; undefined: no pass. */
  #passCursor: string | null | undefined

  constructor(options: OrderWorkerOptions, state: PartitionState) {
    this.#options = options
    this.#state = state
    this.#partition = state.snapshots.partitionSnapshot() ?? null
  }

  /** Puts the questions again that were out, and finds who waits for what. */
  async resume(): Promise<void> {
    let seen = 0
    for (const id of this.#state.snapshots.unsettled()) {
      const order = this.#load(id)
      if (order?.pending) this.#options.ask(questionOf(order))
      if (order) this.#wait(order)
      if (++seen % 500 === 0) await new Promise(setImmediate)
    }
  }

  async step(records: readonly Stored<unknown>[]): Promise<WorkerOutput> {
    for (const record of records) {
      const parsed = InboxRecord.safeParse(record.value)
      if (!parsed.success) {
        this.#batch.dead.push({ record, reason: `unreadable: ${parsed.error.issues[0]?.message}` })
        continue
      }
      try {
        this.#consume(parsed.data, record)
      } catch (error) {
        // One order's fault must not stop the others: its record goes to the dead letters.
        this.#options.onFault(error, record)
        this.#batch.dead.push({ record, reason: `failed: ${String(error)}` })
      }
    }
    return this.#batch.output(this.#partition)
  }

  committed(): void {
    const { questions } = this.#batch
    this.#batch = new Batch()
    for (const question of questions.values()) this.#options.ask(question)
  }

  async close(): Promise<void> {
    this.#awake.clear()
    this.#waiting.clear()
  }

  #consume(record: InboxRecord, { offset, partition }: Stored<unknown>): void {
    const cause: Cause = { partition, offset, kind: record.kind }
    if (
      record.kind !== 'watermark' &&
      partitionOf(record.outpoint, this.#options.partitions) !== partition
    ) {
      throw new Error(`the outpoint ${record.outpoint} belongs to another partition`)
    }
    switch (record.kind) {
      case 'watermark':
        this.#watermark(record, cause)
        break
      case 'command':
        this.#command(record, { ...cause, requestId: record.requestId })
        break
      case 'evidence':
        this.#evidence(record, cause)
        break
      case 'output':
      case 'spend':
        this.#news(record, cause)
    }
  }

  // ---- commands ---------------------------------------------------------------------------------

  #command(record: CommandRecord, cause: Cause): void {
    const order = this.#load(record.orderId)
    const moment = this.#moment(record.at)
    if (record.command === 'import') {
      this.#import(record, order, cause)
    } else if (!order) {
      this.#refuse(record, cause, 'ORDER_NOT_FOUND', 'no order with this id')
    } else if (record.command === 'revalidate') {
      this.#step(order, { type: 'REVALIDATE', requestId: record.requestId, ...moment }, cause)
    } else if (record.command === 'withdraw') {
      const { by, requestId, reason } = record
      const event = { type: 'WITHDRAW', by, requestId, ...moment } as const
      this.#step(order, reason === undefined ? event : { ...event, reason }, cause)
    } else if (order.state === 'LIVE' && order.pending === null) {
      this.#options.onDisagreement(order, record.found)
      this.#step(order, { type: 'RECHECK', purpose: 'audit', ...moment }, cause)
    }
  }

  #import(record: ImportCommand, order: OrderRecord | undefined, cause: Cause): void {
    const { claim, requestId, orderId, outpoint, at } = record
    const moment = this.#moment(at)
    if (order) {
      this.#step(order, { type: 'IMPORT', claim, requestId, ...moment }, cause)
    } else if (this.#isCrowded(outpoint)) {
      const message = `${outpoint} already has as many orders as are kept for one output`
      this.#refuse(record, cause, 'TOO_MANY_ORDERS_FOR_OUTPUT', message)
    } else {
      const made = newOrder(orderId, this.#options.network, { claim, at })
      this.#batch.madeAt(outpoint, orderId)
      this.#step(made, { type: 'CREATE', requestId, ...moment }, cause, true)
    }
  }

  #isCrowded(outpoint: string): boolean {
    const orders = this.#ordersAt(outpoint)
    const verified = orders.filter((o) => o.kept.inspection.signatureStatus === 'VALID').length
    return Math.max(verified, orders.length - verified) >= MAX_ORDERS_AT_OUTPUT
  }

  #refuse(
    { requestId, orderId }: CommandRecord,
    cause: Cause,
    code: 'ORDER_NOT_FOUND' | 'TOO_MANY_ORDERS_FOR_OUTPUT',
    message: string,
  ): void {
    const outcome = { status: 'refused', code, message } as const
    const record = {
      schema: LOG_SCHEMA,
      kind: 'outcome',
      requestId,
      orderId,
      outcome,
      cause,
    } as const
    this.#batch.lifecycle.push(record)
  }

  // ---- evidence and news ------------------------------------------------------------------------

  #evidence({ orderId, attempt, evidence, at }: EvidenceRecord, cause: Cause): void {
    const order = this.#load(orderId)
    // Not the answer that is waited for: a crash repeated the question, or another one is out.
    if (order?.pending?.attempt !== attempt) return
    const judgement = judgeOrder(order, evidence, this.#options.marketOf)
    this.#step(order, { type: 'EVIDENCE', evidence, judgement, ...this.#moment(at) }, cause)
  }

  #news(record: SpendRecord | OutputRecord, cause: Cause): void {
    const moment = this.#moment(record.at)
    for (const order of this.#ordersAt(record.outpoint)) {
      this.#step(order, newsEvent(record, moment), cause)
    }
  }

  // ---- watermarks -------------------------------------------------------------------------------

  #watermark(watermark: Watermark, cause: Cause): void {
    const before = this.#partition
    if (before && isBefore(watermark, before.seen)) return
    const ref = { epoch: watermark.epoch, n: watermark.n }
    const lostAll = watermark.lost === 'all' || (before !== null && !follows(ref, before.seen))
    this.#partition = {
      schema: LOG_SCHEMA,
      kind: 'partition',
      partition: cause.partition,
      seen: ref,
      watermark: watermark.covers ? watermark : (before?.watermark ?? null),
      continuousSince: lostAll || !before ? ref : before.continuousSince,
      lifecycleEnd: this.#state.lifecycleEnd() + this.#batch.lifecycle.length,
    }
    const moment = { at: watermark.at, watermark }
    if (watermark.forkHeight !== undefined) this.#recheckAbove(watermark.forkHeight, moment, cause)
    if (typeof watermark.lost === 'object') {
      this.#loseAbove(watermark.lost.aboveHeight, moment, cause)
    }
    if (lostAll && before) this.#passCursor = null
    const budget = this.#wakeWaiting(watermark, moment, cause)
    this.#continuePass(budget, moment, cause)
    this.#sweepSome(before?.watermark ?? null, watermark)
  }

  #recheckAbove(height: number, moment: Moment, cause: Cause): void {
    for (const order of this.#above(height)) {
      this.#step(order, { type: 'RECHECK', purpose: 'recheck', ...moment }, cause)
    }
  }

  #loseAbove(height: number, moment: Moment, cause: Cause): void {
    for (const order of this.#above(height)) {
      if ((order.outputBlock?.height ?? 0) > height) {
        this.#step(order, { type: 'CONTINUITY_LOST', ...moment }, cause)
      }
    }
  }

  #wakeWaiting(watermark: Watermark, moment: Moment, cause: Cause): number {
    let budget = RECHECKS_PER_WATERMARK
    for (const [id, dues] of this.#waiting) {
      if (budget === 0) break
      const due = dues.find((one) => isDue(one, watermark))
      const order = due && this.#load(id)
      if (!order) continue
      budget -= 1
      const event = { type: 'RECHECK', purpose: 'recheck', ...moment } as const
      this.#step(order, due.action === 'close' ? { type: 'CLOSE', ...moment } : event, cause)
    }
    return budget
  }

  // What has lost continuity is verified again, newest first, a few with each watermark.
  #continuePass(budget: number, moment: Moment, cause: Cause): void {
    if (this.#passCursor === undefined || budget === 0) return
    const ids = this.#state.snapshots.live(this.#passCursor, budget)
    this.#passCursor = ids.length < budget ? undefined : ids.at(-1)
    for (const id of ids) {
      const order = this.#load(id)
      if (order) this.#step(order, { type: 'RECHECK', purpose: 'recheck', ...moment }, cause)
    }
  }

  #sweepSome(before: Watermark | null, now: Watermark): void {
    const seconds = before ? Math.max(0, Date.parse(now.at) - Date.parse(before.at)) / 1_000 : 0
    const size = Math.max(this.#sweepSize, SWEEP_LEAST_ORDERS)
    this.#sweepCarry = Math.min(this.#sweepCarry + (size * seconds) / SWEEP_SECONDS, size)
    const share = Math.floor(this.#sweepCarry)
    if (share === 0) return
    this.#sweepCarry -= share
    const ids = this.#state.snapshots.live(this.#sweepCursor, share)
    this.#sweepCount += ids.length
    this.#sweepCursor = ids.at(-1) ?? null
    if (ids.length < share) {
      this.#sweepSize = this.#sweepCount
      this.#sweepCount = 0
      this.#sweepCursor = null
    }
    this.#options.sweep(ids.flatMap((id) => this.#load(id) ?? []))
  }

  // ---- one step ---------------------------------------------------------------------------------

  #step(order: OrderRecord, event: OrderEvent, cause: Cause, isNew = false): void {
    const stepped = stepOrder(isNew ? null : order, order, event, cause)
    const isSilent = !stepped.change && stepped.outcomes.length === 0
    if (isSilent && stepped.order.pending === order.pending) return
    this.#awake.set(order.id, stepped.order)
    this.#batch.add(stepped.order, stepped.change, stepped.outcomes)
    if (stepped.asks) this.#batch.questions.set(order.id, questionOf(stepped.order))
    this.#wait(stepped.order)
  }

  #wait(order: OrderRecord): void {
    const dues = duesOf(order)
    this.#waiting.delete(order.id)
    if (dues.length > 0) this.#waiting.set(order.id, dues)
  }

  #load(id: string): OrderRecord | undefined {
    const known = this.#batch.orders.get(id) ?? this.#awake.get(id)
    if (known) return known
    const order = this.#state.snapshots.order(id)?.order
    if (order) this.#awake.set(id, order)
    return order
  }

  #ordersAt(outpoint: string): OrderRecord[] {
    const ids = new Set([
      ...this.#state.snapshots.ordersAt(outpoint),
      ...this.#batch.idsAt(outpoint),
    ])
    return [...ids].flatMap((id) => this.#load(id) ?? [])
  }

  #above(height: number): OrderRecord[] {
    return [...this.#state.snapshots.above(height)].flatMap((id) => this.#load(id) ?? [])
  }

  #moment(at: string): Moment {
    const watermark = this.#partition?.watermark ?? null
    return { at, watermark: watermark && { ...watermark, ...this.#partition?.seen } }
  }
}
