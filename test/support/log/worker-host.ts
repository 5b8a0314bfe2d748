import type { Question } from '../../../src/actors/events/question.ts'
import { MemorySnapshots } from '../../../src/actors/memory-snapshots.ts'
import { openOrderWorker } from '../../../src/actors/order-worker.ts'
import type { LiveOrder, RenewalQuestion } from '../../../src/actors/sweep/renewal-pass.ts'
import { MAX_DOUBTED } from '../../../src/actors/sweep/renewer.ts'
import { storedWith } from '../../../src/adapters/log/inbox-news.ts'
import type { InboxWorker, Stored } from '../../../src/ports/log/event-log.ts'
import type { Evidence } from '../../../src/schemas/evidence.ts'
import {
  type ChangeRecord,
  type CommandRecord,
  type EvidenceRecord,
  type InboxRecord,
  type LifecycleRecord,
  LOG_SCHEMA,
  type OutcomeRecord,
  type OutputRecord,
  type PartitionSnapshot,
  type RenewalRecord,
  type SpendRecord,
  TOPICS,
} from '../../../src/schemas/log.ts'
import type { OfferClaim, OrderRecord } from '../../../src/schemas/order-record.ts'
import type { OrderId } from '../../../src/schemas/scalars.ts'
import { AT, blockAt, OUTPOINT, TIP_HEIGHT } from '../orders/evidence.ts'
import { marketOf } from '../orders/life.ts'
import { ORDER_ID } from '../orders/orders.ts'
import { sellersProof, standingProofs } from '../orders/withdrawals.ts'

/** An import of a claim, by the id of its authorisation. */
export const importOf = (
  claim: OfferClaim,
  requestId: string,
  orderId: OrderId = ORDER_ID,
  evidence?: Evidence,
): CommandRecord => ({
  schema: LOG_SCHEMA,
  kind: 'command',
  command: 'import',
  requestId,
  orderId,
  outpoint: claim.offer.outpoint,
  claim,
  at: AT,
  ...(evidence && { evidence }),
})

export const commandOf = (
  command: 'revalidate' | 'audit' | 'withdraw',
  requestId: string,
  orderId: OrderId = ORDER_ID,
  outpoint = OUTPOINT,
): CommandRecord => {
  const common = {
    schema: LOG_SCHEMA,
    kind: 'command',
    requestId,
    orderId,
    outpoint,
    at: AT,
  } as const
  if (command === 'withdraw')
    return { ...common, command, by: 'seller', proof: sellersProof({ orderId, outpoint }) }
  return command === 'audit'
    ? { ...common, command, found: 'the output is absent' }
    : { ...common, command }
}

export const spendNews = (
  change: SpendRecord['change'],
  spend: SpendRecord['spend'],
  outpoint = OUTPOINT,
): SpendRecord => ({
  schema: LOG_SCHEMA,
  kind: 'spend',
  change,
  outpoint,
  spend: change === 'seen' || change === 'dropped' ? { ...spend, block: null } : spend,
  at: AT,
})

export const outputNews = (
  change: OutputRecord['change'],
  block: OutputRecord['block'] = null,
  outpoint = OUTPOINT,
): OutputRecord => ({ schema: LOG_SCHEMA, kind: 'output', change, outpoint, block, at: AT })

export const answerTo = (question: Question, evidence: Evidence): EvidenceRecord => ({
  schema: LOG_SCHEMA,
  kind: 'evidence',
  orderId: question.orderId,
  outpoint: question.outpoint,
  attempt: question.attempt,
  evidence: {
    ...evidence,
    begunAt: question.begunAt,
    mempoolSequence: question.mempoolSequence,
  },
  at: AT,
})

export function renewalOf(
  { after, upTo, begunAt, orders }: RenewalQuestion,
  isDoubted: (order: LiveOrder) => boolean,
  partition: PartitionSnapshot | undefined,
): RenewalRecord {
  const doubted = orders.filter(isDoubted).map(({ id }) => id)
  const named = doubted.slice(0, MAX_DOUBTED)
  const { height, hash } = partition?.watermark?.tip ?? blockAt(TIP_HEIGHT)
  return {
    schema: LOG_SCHEMA,
    kind: 'renewal',
    after,
    upTo: named.length < doubted.length ? (named.at(-1) ?? upTo) : upTo,
    begunAt,
    tip: { height, hash },
    doubted: named,
    at: AT,
  }
}

/**
 * One partition as its log has it: an inbox, the committed lifecycle and snapshots, and a host that
 * may die at any moment. The real host over in-memory state; only the storage is replaced.
 */
export class WorkerHost {
  readonly inbox: Stored<unknown>[] = []
  readonly lifecycle: LifecycleRecord[] = []
  readonly dead: { record: Stored<unknown>; reason: string }[] = []
  readonly snapshots = new MemorySnapshots()
  /** Questions asked, in order; a new host repeats those that are open. */
  readonly questions: Question[] = []
  readonly renewals: RenewalQuestion[] = []
  readonly swept: string[][] = []
  readonly disagreements: string[] = []
  readonly faults: unknown[] = []
  /** Judges sellers' proofs. */
  proofs = standingProofs
  /** Rules of the markets; one that throws is a defect in judging. */
  marketOf = marketOf
  /** The next worker is told that records were deleted before it. */
  hasGap = false
  /** Its workers pass over no record. */
  readonly readsAll: boolean
  #worker: InboxWorker | null = null
  #committed = 0

  constructor({ readsAll = false } = {}) {
    this.readsAll = readsAll
  }

  get changes(): ChangeRecord[] {
    return this.lifecycle.filter((record) => record.kind !== 'outcome')
  }

  get outcomes(): OutcomeRecord[] {
    return this.lifecycle.filter((record) => record.kind === 'outcome')
  }

  get orders(): OrderRecord[] {
    return this.snapshots.orders()
  }

  get partition(): PartitionSnapshot | undefined {
    return this.snapshots.partitionSnapshot()
  }

  order(id: OrderId = ORDER_ID): OrderRecord {
    const order = this.snapshots.order(id)?.order
    if (!order) throw new Error(`no order ${id}`)
    return order
  }

  outcomeOf(requestId: string): OutcomeRecord['outcome'] | undefined {
    return this.outcomes.find((record) => record.requestId === requestId)?.outcome
  }

  /** Returns the questions asked since its last call. */
  takeQuestions(): Question[] {
    return this.questions.splice(0)
  }

  append(...records: (InboxRecord | unknown)[]): void {
    for (const value of records) {
      const record = { partition: 0, offset: this.inbox.length, value }
      this.inbox.push(storedWith(TOPICS.inbox, keyOf(value), record))
    }
  }

  /** Appends, and consumes everything in batches of this size. */
  async tell(records: readonly (InboxRecord | unknown)[], batch = 200): Promise<void> {
    this.append(...records)
    await this.run(batch)
  }

  async run(batch = 200): Promise<void> {
    while (this.#committed < this.inbox.length) await this.step(batch, true)
  }

  /** One batch; a host that dies before the commit leaves nothing of it. */
  async step(batch: number, isCommitted: boolean): Promise<void> {
    this.#worker ??= await this.open()
    const records = this.inbox.slice(this.#committed, this.#committed + batch)
    const output = await this.#worker.step(records)
    if (!isCommitted) {
      this.die()
      return
    }
    this.lifecycle.push(...output.lifecycle)
    const isSilent = output.lifecycle.length + output.snapshots.length + output.dead.length === 0
    const snapshots = isSilent ? (output.owed ?? []) : output.snapshots
    this.snapshots.put(structuredClone(snapshots))
    this.dead.push(...output.dead)
    this.#committed += output.taken ?? records.length
    this.#worker.committed()
  }

  /** The process is gone: what it knew beyond the log, and the answers in flight, with it. */
  die(): void {
    this.#worker = null
    this.questions.length = 0
    this.renewals.length = 0
  }

  async open(): Promise<InboxWorker> {
    this.#worker = await openOrderWorker({
      network: 'regtest',
      partitions: 1,
      marketOf: (protocolId) => this.marketOf(protocolId),
      proofs: this.proofs,
      ask: (question) => this.questions.push(question),
      renew: (question) => this.renewals.push(question),
      sweep: (orders) => this.swept.push(orders.map(({ id }) => id)),
      onDisagreement: (order, found) => this.disagreements.push(`${order.id} ${found}`),
      onFault: (error) => this.faults.push(error),
      pace: async () => {},
      readsAll: this.readsAll,
    })({
      partition: 0,
      snapshots: this.snapshots,
      hasGap: this.hasGap,
      lifecycleEnd: () => this.lifecycle.length,
    })
    return this.#worker
  }

  /**
   * Answers the open question about many orders: these have changed. At most as many are named as
   * in one answer, and the pass continues from the last of them.
   */
  async renew(isDoubted: (order: LiveOrder) => boolean = () => true): Promise<void> {
    const [question] = this.renewals.splice(0)
    if (question) await this.tell([renewalOf(question, isDoubted, this.partition)])
  }

  /** Answers every open question, until none is left. */
  async answerAll(answer: (question: Question) => Evidence, batch = 200): Promise<void> {
    for (;;) {
      await this.run(batch)
      const questions = this.takeQuestions()
      if (questions.length === 0) return
      this.append(...questions.map((question) => answerTo(question, answer(question))))
    }
  }
}

/** The same inbox, stepped by a fresh host in batches of another size. */
export async function replayOf(
  host: WorkerHost,
  batch: number,
  options: { readsAll?: boolean } = {},
): Promise<WorkerHost> {
  const replay = new WorkerHost(options)
  replay.append(...host.inbox.map(({ value }) => value))
  await replay.run(batch)
  return replay
}

/** As ingest and gateways write it. */
const keyOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'outpoint' in value ? String(value.outpoint) : ''
