import { type ObservedOrder, toSummary } from '../../src/domain/order/order-summary.ts'
import { precedes } from '../../src/domain/order/watermark-order.ts'
import type { Invariant } from '../../src/operator/audit/report.ts'
import type { NewRecord } from '../../src/ports/log/event-log.ts'
import type { PartitionFreshness, StoredOrder } from '../../src/ports/views/order-views.ts'
import type { WatermarkRef } from '../../src/schemas/evidence.ts'
import {
  type ChangeRecord,
  type CommandRecord,
  type InboxRecord,
  type SnapshotRecord,
  TOPICS,
  type Watermark,
} from '../../src/schemas/log.ts'
import type { OrderRecord } from '../../src/schemas/order-record.ts'
import type { OrderId } from '../../src/schemas/scalars.ts'
import type { Book } from './book.ts'
import type { OutputState, SimChain } from './chain.ts'
import { isAnswer } from './gateway.ts'
import type { LogListener } from './log.ts'
import { RoomWatch } from './room-watch.ts'
import type { Scheduler } from './scheduler.ts'
import type { ViewListener } from './views.ts'

export interface Violation {
  /** `room`: ADR 38; `pool`: ADR 39; `webhook`: docs/webhooks.md;
   * `end`: the service did not come to rest; `fault`: the code under test threw where it must not. */
  invariant: Invariant | 'room' | 'pool' | 'label' | 'webhook' | 'end' | 'fault'
  what: string
}

/** Reports a violation. */
export type Violated = (invariant: Violation['invariant'], what: string) => void

const SHORT = 8
/** Virtual milliseconds that may pass while a watermark is made and written. */
const SHORTLY_MS = 120_000

/** Observes every write, and checks it against what must be true at every moment. */
export class Monitor implements LogListener, ViewListener {
  readonly violations: Violation[] = []
  /** Inbox records written. */
  events = 0
  readonly outcomes = new Set<string>()
  /** Commands, as the inbox recorded them. */
  readonly commands: CommandRecord[] = []
  readonly room = new RoomWatch((invariant, what) => this.violated(invariant, what))
  readonly #commandsAt = new Map<string, CommandRecord>()
  readonly #book: Book
  #epoch = 0
  readonly #scheduler: Scheduler
  #chain: SimChain | null = null
  /** The lifecycle offset of each change, by order and seq. */
  readonly #offsets = new Map<string, number>()
  /** What had to be folded before a partition may show a watermark. */
  readonly #ends = new Map<string, number>()
  readonly #seen = new Map<string, number>()
  /** Orders being verified again: their state is in question until the answer arrives. */
  readonly #asked = new Set<string>()
  /** The orders that are shown LIVE. */
  readonly #live = new Map<string, StoredOrder>()
  /** Of orders that were LIVE. */
  readonly #labels = new Map<string, OrderRecord>()
  readonly #consumed = new Map<number, WatermarkRef>()

  constructor(scheduler: Scheduler, book: Book) {
    this.#scheduler = scheduler
    this.#book = book
  }

  watch(chain: SimChain): void {
    this.#chain = chain
  }

  violated(invariant: Violation['invariant'], what: string): void {
    this.#scheduler.trace(`VIOLATION ${invariant} ${what}`)
    this.violations.push({ invariant, what })
  }

  /** What the code under test threw: an answer, or a defect. */
  expected(error: unknown): void {
    if (!isAnswer(error)) this.violated('fault', `a gateway failed: ${String(error)}`)
  }

  isLogged(orderId: OrderId): boolean {
    return this.#offsets.has(`${orderId} 1`)
  }

  commandAt(partition: number, offset: number): CommandRecord | undefined {
    return this.#commandsAt.get(`${partition}/${offset}`)
  }

  /** An order that only strangers know of, and that is unsigned, is in the pool or nowhere. */
  #isNotOfPool(orderId: OrderId, where: string): void {
    const listing = this.#book.of(orderId)
    if (!listing?.isBrought) return
    const wasThere = this.#chain?.moments.wasThere(listing.outpoint)
    if (!listing.isSigned) this.violated('pool', `${orderId} is in ${where}, and is not signed`)
    else if (!wasThere)
      this.violated('pool', `${orderId} is in ${where}, and its output is nowhere`)
  }

  /** The views lost what they had: readers start over. */
  flushed(): void {
    this.#seen.clear()
    this.#live.clear()
  }

  // ---- the log

  appended({ topic, partition, value }: NewRecord, offset: number): void {
    if (topic === TOPICS.inbox) this.#inbox(partition, value, offset)
    else if (topic === TOPICS.lifecycle) {
      const change = value as ChangeRecord
      if (change.seq === undefined) return
      this.#offsets.set(`${change.orderId} ${change.seq}`, offset)
      this.#isNotOfPool(change.orderId, 'the log')
      const asked = this.commandAt(partition, change.cause.offset)
      this.room.changed(change, asked?.command === 'import' ? asked.orderId : null)
      const { orderId, seq, toState, reason, cause, hash } = change
      this.#scheduler.trace(
        `lifecycle ${partition}/${offset} ${orderId.slice(0, SHORT)} seq ${seq} ${toState} (${reason}) by ${cause.kind} ${cause.offset} ${hash.slice(0, SHORT)}`,
      )
    }
  }

  committed(partition: number, snapshots: readonly SnapshotRecord[]): void {
    this.room.committed(snapshots)
    for (const snapshot of snapshots) {
      if (snapshot.kind === 'order') {
        const { id, pending } = snapshot.order
        this.#isNotOfPool(id, 'a snapshot')
        this.#isLabelled(snapshot.order)
        if (pending === null) this.#asked.delete(id)
        else this.#asked.add(id)
        continue
      }
      this.#isLater(partition, snapshot.seen)
      if (!snapshot.watermark) continue
      const key = markKey(partition, snapshot.watermark)
      if (!this.#ends.has(key)) this.#ends.set(key, snapshot.lifecycleEnd)
    }
  }

  /** The label of a LIVE order never changes. */
  #isLabelled(order: OrderRecord): void {
    const { id, metadataFixed, token, protocolId } = order
    const before = this.#labels.get(id)
    for (const [had, has] of [
      [before?.token, token],
      [before?.protocolId, protocolId],
    ])
      if (had !== undefined && had !== has)
        this.violated('label', `${id} was labelled ${had}, and is ${has}`)
    if (metadataFixed) this.#labels.set(id, order)
  }

  /** I11: what a partition has seen never goes back, whoever owns it. */
  #isLater(partition: number, seen: WatermarkRef): void {
    const before = this.#consumed.get(partition)
    if (before && precedes(seen, before)) {
      const steps = `from ${before.epoch}/${before.n} to ${seen.epoch}/${seen.n}`
      this.violated('I11', `partition ${partition} went back ${steps}`)
    }
    this.#consumed.set(partition, seen)
  }

  #inbox(partition: number, value: unknown, offset: number): void {
    this.events += 1
    const record = readable(value)
    this.#scheduler.trace(`inbox ${partition}/${offset} ${record ? inWords(record) : 'unreadable'}`)
    if (record?.kind === 'command') {
      this.commands.push(record)
      this.#commandsAt.set(`${partition}/${offset}`, record)
    }
    // A late one is ignored: its epoch is over.
    if (record?.kind !== 'watermark' || record.epoch < this.#epoch) return
    this.#epoch = record.epoch
    if (record.covers) this.#isHonest(record)
  }

  /**
   * I10: a watermark that covers says that node and index are on one chain; a reorg may come while
   * it is made, so the index may be on what was the node's chain a moment before or after.
   */
  #isHonest({ index, epoch, n }: Watermark): void {
    if (index === null) this.violated('I10', `watermark ${epoch}/${n} covers without an index`)
    else if (!this.#chain?.wasActive(index.hash, this.#scheduler.now - SHORTLY_MS))
      this.violated('I10', `watermark ${epoch}/${n} covers, its index is on a stale chain`)
  }

  // ---- the views

  viewed(orders: readonly StoredOrder[]): void {
    for (const stored of orders) {
      const { id, seq } = stored.order
      const before = this.#seen.get(id) ?? 0
      if (seq < before) this.violated('I11', `${id} was seen at seq ${before}, now at ${seq}`)
      this.#seen.set(id, seq)
      this.#isNotOfPool(id, 'the views')
      if (stored.order.state === 'LIVE') this.#live.set(id, stored)
      else this.#live.delete(id)
      this.#isTrue(stored)
    }
  }

  freshened(partition: number, freshness: PartitionFreshness): void {
    for (const stored of this.#live.values())
      if (stored.partition === partition) this.#isTrue({ ...stored, freshness })
  }

  told(requestId: string): void {
    this.outcomes.add(requestId)
  }

  /**
   * I10: an order shown LIVE as of a watermark was unspent, in a block, at that exact moment of the
   * node, and a bid's funding was unspent. A later decision rests on its own verification.
   */
  #isTrue({ order, partition, freshness }: StoredOrder): void {
    if (order.state !== 'LIVE' || !freshness?.watermark.covers || !this.#chain) return
    if (this.#asked.has(order.id)) return
    const { watermark } = freshness
    const folded = this.#offsets.get(`${order.id} ${order.seq}`) ?? 0
    if (folded >= (this.#ends.get(markKey(partition, watermark)) ?? 0)) return
    const { tip, mempoolSequence } = watermark
    if (!this.#chain.moments.wasAt(tip.hash, mempoolSequence)) return
    const stateOf = (outpoint: string) =>
      this.#chain?.moments.stateAt(outpoint, tip.hash, mempoolSequence) ?? null
    const state = stateOf(order.outpoint)
    const paidWith = order.kept.offer.funding.map(stateOf).find((one) => !isThere(one))
    const isTrue = state === 'unspent' && paidWith === undefined
    if (isTrue || !isShownAsOf({ order, freshness })) return
    const what =
      state === 'unspent' ? `what pays for it was ${paidWith}` : `its output was ${state}`
    this.violated(
      'I10',
      `${order.id} is shown LIVE as of watermark ${watermark.epoch}/${watermark.n} of partition ${partition}, when ${what}`,
    )
  }
}

/** A bid may be paid with an unconfirmed output. */
const isThere = (state: OutputState | null): boolean =>
  state === 'unspent' || state === 'unconfirmed'

/** Does its partition's watermark make the order's verification later than its own? */
function isShownAsOf(observed: ObservedOrder): boolean {
  const now = Date.parse(observed.freshness?.watermark.at ?? '')
  const checkedAt = (one: ObservedOrder) =>
    toSummary(one, { now, maxAgeSeconds: 600, capabilityOf: () => null }).verification.checkedAt
  return checkedAt(observed) !== checkedAt({ ...observed, freshness: null })
}

const markKey = (partition: number, { epoch, n }: Watermark): string => `${partition} ${epoch} ${n}`

/** What the code under test wrote matches its schema; what a seed made unreadable has no `at`. */
function readable(value: unknown): InboxRecord | null {
  return typeof value === 'object' && value !== null && 'at' in value
    ? (value as InboxRecord)
    : null
}

function inWords(record: InboxRecord): string {
  switch (record.kind) {
    case 'watermark': {
      const { epoch, n, covers, tip, mempoolSequence, lost, forkHeight, indexStatus } = record
      const more = JSON.stringify({ lost, forkHeight })
      return `watermark ${epoch}/${n} ${covers ? 'covers' : 'does not cover'} ${tip.height} ${tip.hash.slice(0, SHORT)} ${mempoolSequence} ${indexStatus} ${more}`
    }
    case 'command':
      return `${record.command} ${record.orderId.slice(0, SHORT)} ${shortened(record.outpoint)} ${record.requestId}`
    case 'evidence': {
      const { node, begunAt } = record.evidence
      const said = node.status === 'ready' ? node.output.status : node.reason
      return `evidence ${record.orderId.slice(0, SHORT)} attempt ${record.attempt} begun ${begunAt?.epoch}/${begunAt?.n} ${said}`
    }
    case 'renewal': {
      const { after, upTo, begunAt, doubted } = record
      return `renewal ${after?.slice(0, SHORT)} to ${upTo.slice(0, SHORT)} begun ${begunAt.epoch}/${begunAt.n}, doubts ${doubted.map((id) => id.slice(0, SHORT)).join(' ')}`
    }
    case 'output':
      return `output ${record.change} ${shortened(record.outpoint)} ${record.block?.height ?? ''}`
    case 'spend':
      return `spend ${record.change} ${shortened(record.outpoint)} by ${record.spend.txid.slice(0, SHORT)} ${record.spend.block?.height ?? ''}`
  }
}

/** An outpoint as shown in the trace. */
const shortened = (outpoint: string): string =>
  `${outpoint.slice(0, SHORT)}${outpoint.slice(outpoint.indexOf(':'))}`
