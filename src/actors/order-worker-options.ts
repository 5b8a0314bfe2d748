import type { Stored } from '../ports/event-log.ts'
import type { PartOfRecord } from '../schemas/log.ts'
import type { OrderRecord } from '../schemas/order-record.ts'
import type { Network } from '../schemas/scalars.ts'
import type { MarketOf } from './judge-order.ts'
import type { Question } from './question.ts'

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
  /** Where a part of a record ends in any case: a replay ends where the log does. */
  partEnd?: PartOfRecord
  /** Awaited between two orders: lets others have the event loop. */
  pace(): Promise<void>
}
