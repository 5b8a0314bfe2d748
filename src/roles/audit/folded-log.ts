import type { PartOfRecord, Watermark } from '../../schemas/log.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'

/** How far each reader of a partition says that it has come. */
export interface Reach {
  /** The inbox offset from which the order actors go on. */
  inbox: number
  /** The lifecycle offset from which the views go on. */
  views: number
  /** That of the history; null while the history is away. */
  history: number | null
}

/** An order as the lifecycle log has it. */
export interface LoggedOrder {
  /** The fold of all its changes. */
  order: OrderRecord
  partition: number
  /** The fold of those that the views say they have; null: of none. */
  viewed: OrderRecord | null
  /** How many changes the history says it has, and the seq of the last of them. */
  rows: number
  rowsSeq: number
}

/** The actor of an order as its latest snapshot has it, with the watermark of its partition. */
export interface KeptActors {
  orders: Map<string, OrderRecord>
  /** By partition: the last one that covered. */
  watermarks: Map<number, Watermark>
  /** By partition: how far the record that is consumed next has come. */
  parts: Map<number, PartOfRecord>
}

/** What the lifecycle log says, for everything that must agree with it. */
export class FoldedLog {
  readonly orders = new Map<string, LoggedOrder>()
  /** Orders whose own log is at fault: there is nothing that the rest could be compared with. */
  readonly broken = new Set<string>()
  /** What was written of an order, in order: the hash of each change, each outcome. */
  readonly trails = new Map<string, string[]>()
  /** Requests that have their outcome. */
  readonly answered = new Set<string>()
  /** Transitions by their id in the activity log, as that must tell them. */
  readonly activity = new Map<string, string>()
  /** Changes that the views and the history do not say they have. */
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
