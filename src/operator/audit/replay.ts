import { isDeepStrictEqual } from 'node:util'
import { MemorySnapshots } from '../../actors/memory-snapshots.ts'
import { openOrderWorker } from '../../actors/order-worker.ts'
import { marketRules } from '../../domain/catalog/market-rules.ts'
import type { RoomBounds } from '../../domain/order/room.ts'
import type { ProofChecker } from '../../ports/authorities/proof-checker.ts'
import type { InboxWorker, Stored, WorkerOutput } from '../../ports/log/event-log.ts'
import type { LifecycleRecord, PartOfRecord } from '../../schemas/log.ts'
import type { Network, OrderId } from '../../schemas/scalars.ts'
import { trailOf } from './audit-lifecycle.ts'
import type { ExistingActors, FoldedLog } from './folded-log.ts'
import type { AuditReport } from './report.ts'

const BATCH = 200

export interface ReplayOptions {
  network: Network
  partition: number
  partitions: number
  proofs: ProofChecker
  room?: RoomBounds
  /** How far the partly consumed record has come. */
  partEnd?: PartOfRecord
}

/** One partition's inbox, replayed from its first record by one fresh worker. */
export class Replay {
  readonly #options: ReplayOptions
  readonly #snapshots = new MemorySnapshots()
  readonly #trails = new Map<OrderId, string[]>()
  #worker: Promise<InboxWorker> | null = null
  #lifecycle = 0
  #batch: Stored<unknown>[] = []

  constructor(options: ReplayOptions) {
    this.#options = options
  }

  async take(record: Stored<unknown>): Promise<void> {
    this.#batch.push(record)
    if (this.#batch.length === BATCH) await this.#step()
  }

  /** The record in progress: it is stepped as far as the partition's snapshot says. */
  async takePart(record: Stored<unknown>): Promise<void> {
    await this.#step()
    const worker = await this.#opened()
    const after = () => this.#snapshots.partitionSnapshot()?.part?.after
    while (after() !== this.#options.partEnd?.after) {
      const output = await worker.step([record])
      this.#commit(worker, output)
      if (output.taken !== 0) return
    }
  }

  /** Sets aside a record whose effects the log refused, with its reason. */
  async setAside(record: Stored<unknown>, reason: string): Promise<void> {
    await this.#step()
    const worker = await this.#opened()
    const output = await worker.setAside?.(record, reason)
    if (output) this.#commit(worker, output)
  }

  /**
   * I8: the replay's output equals the log. If the log merely ends early, the offset is ahead of
   * its effects (I12). I7: an actor's work in progress is not in the log, but also follows from it.
   */
  async compare(folded: FoldedLog, { orders }: ExistingActors, report: AuditReport): Promise<void> {
    await this.#step()
    const { partition } = this.#options
    for (const id of this.#ids(folded)) {
      if (folded.broken.has(id)) continue
      const trail = this.#trails.get(id) ?? []
      const inLog = folded.trails.get(id) ?? []
      const parted = inLog.findIndex((step, at) => step !== trail[at])
      const isSame = report.check('I8', parted < 0, () => {
        const counts = `a replay writes ${trail.length} records, but the log has ${inLog.length}`
        return `partition ${partition}: ${id}: ${counts}, the first difference is in record ${parted + 1}`
      })
      if (!isSame) continue
      const isWhole = report.check('I12', inLog.length === trail.length, () => {
        const missing = `${trail.length - inLog.length} records of ${id} are not in the log`
        return `partition ${partition}: the inbox is consumed up to its offset, but ${missing}`
      })
      if (isWhole) this.#compareWork(id, orders, report)
    }
  }

  #compareWork(id: OrderId, kept: ExistingActors['orders'], report: AuditReport): void {
    const work = workOf(this.#snapshots.order(id)?.order)
    const what = () =>
      `the snapshot of ${id} has a pending question other than the one its inbox leads to`
    report.check('I7', isDeepStrictEqual(workOf(kept.get(id)), work), what)
  }

  /** Every order that is, or should be, in the partition. */
  #ids({ orders, trails }: FoldedLog): Set<OrderId> {
    const { partition } = this.#options
    const here = [...trails.keys()].filter((id) => orders.get(id)?.partition === partition)
    return new Set([...this.#trails.keys(), ...here])
  }

  async #step(): Promise<void> {
    const worker = await this.#opened()
    while (this.#batch.length > 0) {
      const output = await worker.step(this.#batch)
      this.#commit(worker, output)
      this.#batch = this.#batch.slice(output.taken ?? this.#batch.length)
    }
  }

  #commit(worker: InboxWorker, { snapshots, lifecycle }: WorkerOutput): void {
    this.#snapshots.put(snapshots)
    this.#lifecycle += lifecycle.length
    for (const record of lifecycle) this.#keep(record)
    worker.committed()
  }

  #opened(): Promise<InboxWorker> {
    this.#worker ??= this.#open()
    return this.#worker
  }

  #keep(record: LifecycleRecord): void {
    const step = record.kind === 'outcome' ? trailOf(record) : record.hash
    const trail = this.#trails.get(record.orderId)
    if (trail) trail.push(step)
    else this.#trails.set(record.orderId, [step])
  }

  #open(): Promise<InboxWorker> {
    const { partition, ...options } = this.#options
    const open = openOrderWorker({
      ...options,
      marketOf: marketRules,
      ask: () => {},
      renew: () => {},
      sweep: () => {},
      onDisagreement: () => {},
      onFault: () => {},
      pace: async () => {},
      readsAll: true,
    })
    return open({ partition, snapshots: this.#snapshots, lifecycleEnd: () => this.#lifecycle })
  }
}

const workOf = (order: { attempt: number; pending: unknown } | undefined) =>
  order && { attempt: order.attempt, pending: order.pending }
