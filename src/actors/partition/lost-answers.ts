import type { OrderId } from '../../schemas/scalars.ts'
import { type Question, questionOf } from '../events/question.ts'
import type { PartitionOrders } from './partition-orders.ts'

/** Answers to one question that may be lost before its order is left to the next owner. */
const MAX_LOST = 3

interface LostAnswer {
  id: OrderId
  attempt: number
  times: number
}

/**
 * Questions whose answer was set aside, since its order could not take it: the order awaits it, so
 * they are put again. Not kept: the next owner of a partition puts every open question again.
 */
export class LostAnswers {
  readonly #lost = new Map<OrderId, LostAnswer>()
  readonly #due: LostAnswer[] = []

  /** An answer has come, and its order took it or not. */
  note(id: OrderId, attempt: number, isTaken: boolean): void {
    const before = this.#lost.get(id)
    this.#lost.delete(id)
    if (isTaken) return
    const times = before?.attempt === attempt ? before.times + 1 : 1
    const answer = { id, attempt, times }
    this.#lost.set(id, answer)
    if (times <= MAX_LOST) this.#due.push(answer)
  }

  /** The questions to put again now. */
  take(orders: Pick<PartitionOrders, 'get'>): Question[] {
    return this.#due.splice(0).flatMap(({ id, attempt }) => {
      const order = orders.get(id)
      return order?.pending?.attempt === attempt ? [questionOf(order)] : []
    })
  }
}
