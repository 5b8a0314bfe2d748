import type { PartOfRecord, Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'

/** How far each reader of a partition claims to have come. */
export interface Reach {
  /** The inbox offset from which the order actors continue. */
  inbox: number
  /** The lifecycle offset from which the views continue; null if they are not compared. */
  views: number | null
  /** The offset from which the history continues; null while it is unavailable. */
  history: number | null
}

/** An order as the lifecycle log has it. */
export interface LoggedOrder {
  /** The fold of all its changes. */
  order: OrderRecord
  partition: number
  /** The fold of the changes that the views claim to have; null if they have none. */
  viewed: OrderRecord | null
  /** How many changes the history claims to have, and the seq of the last one. */
  rows: number
  rowsSeq: number
}

/** The actor of an order as its latest snapshot has it, with the watermark of its partition. */
export interface ExistingActors {
  orders: Map<string, OrderRecord>
  /** By partition: the last watermark that covered. */
  watermarks: Map<number, Watermark>
  /** By partition: how far the record being consumed has come. */
  parts: Map<number, PartOfRecord>
}

/** The contents of the lifecycle log, for everything that must agree with it. */
export class FoldedLog {
  readonly orders = new Map<string, LoggedOrder>()
  /** Orders whose own log is at fault: nothing else can be compared with it. */
  readonly broken = new Set<string>()
  /** What was written for an order, in order: the hash of each change, each outcome. */
  readonly trails = new Map<OrderId, string[]>()
  /** Requests that have their outcome. */
  readonly answered = new Set<string>()
  /** Transitions by activity id, as the activity log must show them. */
  readonly activity = new Map<string, string>()
  /**
   * Transitions after what the history claims to have: it writes table by table, the activity first,
   * so a history that ended in between has some of them.
   */
  readonly laterActivity = new Map<string, string>()
  /** Changes that the views and the history do not claim to have yet. */
  readonly behind = { views: 0, history: 0 }
  readonly reach: readonly Reach[]

  constructor(reach: readonly Reach[]) {
    this.reach = reach
  }

  /** The orders that can be compared. */
  *sound(): Generator<[string, LoggedOrder]> {
    for (const entry of this.orders) if (!this.broken.has(entry[0])) yield entry
  }
}
