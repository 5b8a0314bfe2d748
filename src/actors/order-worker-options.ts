import type { RoomBounds } from '../domain/order/room.ts'
import type { ProofChecker } from '../ports/authorities/proof-checker.ts'
import type { Stored } from '../ports/log/event-log.ts'
import type { PartOfRecord } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import type { MarketOf } from './events/judge-order.ts'
import type { Question } from './events/question.ts'
import type { SweepTurn } from './sweep/audit-sweep.ts'
import type { RenewalQuestion } from './sweep/renewal-pass.ts'

export interface OrderWorkerOptions {
  network: Network
  partitions: number
  marketOf: MarketOf
  /** Judges sellers' proofs where it does not hold up the event loop: the same answer every time. */
  proofs: ProofChecker
  /** How many open orders an output has room for. */
  room?: RoomBounds
  /** Starts the question; its answer comes back through the inbox as evidence. */
  ask(question: Question): void
  /** Starts the question; its answer comes back through the inbox as a renewal. */
  renew(question: RenewalQuestion): void
  /** Hands LIVE orders to the audit sweep. */
  sweep(orders: readonly OrderRecord[], turn: SweepTurn): void
  /** How many more orders the sweep takes now in this turn; absent: any number. */
  sweepRoom?(turn: SweepTurn): number
  /** Milliseconds in which the sweep checks every LIVE order once; a day. */
  sweepDayMs?: number
  /** Called when the sweep found a LIVE order that the authorities contradict: news was lost. */
  onDisagreement(order: OrderRecord, found: string): void
  onFault(error: unknown, record: Stored<unknown>): void
  /** Where a partial record must end: a replay ends where the log does. */
  partEnd?: PartOfRecord
  /** Milliseconds from some start, to bound the work of a step; absent: no step is ended by time. */
  monotonic?(): number
  /**
   * Reads every record, also news of outputs that no order offers: a replay checks by it that
   * nothing was passed over wrongly.
   */
  readsAll?: boolean
  /** Awaited between two orders: yields the event loop. */
  pace(): Promise<void>
}
