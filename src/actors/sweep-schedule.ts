import type { OrderRecord } from '../schemas/order-record.ts'
import type { OrderId } from '../schemas/scalars.ts'
import type { OrderWorkerOptions } from './order-worker-options.ts'
import type { PartitionOrders } from './partition/partition-orders.ts'
import { type IdRange, LAST_ID, shareOfDay, sweepWindow } from './partition/sweep-window.ts'
import type { VouchedOrders } from './partition/vouched-orders.ts'
import type { SweepTurn } from './sweep/audit-sweep.ts'

/**
 * Most orders that one watermark may hand over; of 10,000,000 orders, 7 a second are due in each
 * partition.
 */
const AT_ONCE = 500

/**
 * Share of a day that is handed over again: a former owner's process may have ended before its
 * checks.
 */
const HANDED_AGAIN = 1 / 720

type HandOver = Pick<OrderWorkerOptions, 'sweep' | 'sweepRoom' | 'pace'>

export interface SweepTurnsOptions {
  dayMs: number
  /** The time of the last watermark consumed, Unix milliseconds; null: there is none. */
  sinceMs: number | null
  /** Orders that do not wait for their turn. */
  first: Pick<VouchedOrders, 'take'>
}

/**
 * The order ids of one partition that are due in the sweep. Ids that the sweep has no room for wait,
 * each once at most; a backlog costs no memory.
 */
export class SweepSchedule {
  readonly #orders: Pick<PartitionOrders, 'liveIds' | 'peek'>
  readonly #dayMs: number
  readonly #first: Pick<VouchedOrders, 'take'>
  #due: IdRange[] = []
  #untilMs: number | null

  constructor(
    orders: Pick<PartitionOrders, 'liveIds' | 'peek'>,
    { dayMs, sinceMs, first }: SweepTurnsOptions,
  ) {
    this.#orders = orders
    this.#dayMs = dayMs
    this.#first = first
    this.#untilMs = sinceMs === null ? null : sinceMs - dayMs * HANDED_AGAIN
  }

  /** Hands over the orders that are due by now, Unix milliseconds, as far as there is room. */
  async handOver(
    { sweep, sweepRoom = () => AT_ONCE, pace }: HandOver,
    nowMs: number,
  ): Promise<void> {
    this.#reach(nowMs)
    const hand = async (ids: readonly OrderId[], turn: SweepTurn): Promise<void> => {
      const orders: OrderRecord[] = []
      for (const id of ids) {
        const order = this.#orders.peek(id)
        if (order) orders.push(order)
        await pace()
      }
      if (orders.length > 0) sweep(orders, turn)
    }
    const first = this.#takeFirst(Math.min(AT_ONCE, sweepRoom('first')))
    await hand(first, 'first')
    await hand(this.#take(Math.min(AT_ONCE - first.length, sweepRoom('daily'))), 'daily')
  }

  #reach(ms: number): void {
    const window = this.#untilMs === null ? [] : sweepWindow(this.#untilMs, ms, this.#dayMs)
    this.#untilMs = Math.max(this.#untilMs ?? ms, ms)
    // Ids that still wait from the day before are checked only once.
    if (shareOfDay(this.#due) + shareOfDay(window) > 1) return
    for (const range of window) {
      const last = this.#due.at(-1)
      if (last && last.upTo === range.after) last.upTo = range.upTo
      else this.#due.push({ ...range })
    }
  }

  #takeFirst(limit: number): OrderId[] {
    return this.#first
      .take(limit)
      .flatMap(({ after, upTo }) => this.#orders.liveIds(after, limit, upTo))
  }

  /** The next due ids, in order. */
  #take(limit: number): OrderId[] {
    const taken: OrderId[] = []
    for (let range = this.#due[0]; range && taken.length < limit; range = this.#due[0]) {
      const wanted = limit - taken.length
      const ids = this.#orders.liveIds(range.after, wanted, range.upTo)
      taken.push(...ids)
      const last = ids.at(-1)
      if (ids.length < wanted || last === undefined || last === LAST_ID) this.#due.shift()
      else range.after = last
    }
    return taken
  }
}
