import { answerOf } from '../../../domain/order/stored-answer.ts'
import { type AnswerAsOf, CachedAnswers } from '../../views/cached-answers.ts'
import type { ViewTables } from './view-tables.ts'

/**
 * The answers of one side's orders: each is made when it is first shown, and cached for its version.
 */
export class OrderAnswers {
  readonly #documents: ViewTables['documents']
  readonly #cached = new CachedAnswers<string, number>()

  constructor({ documents }: ViewTables) {
    this.#documents = documents
  }

  /**
   * The cached answer of this version, or else the answer of the version on disk; null without an
   * order.
   */
  of(id: string, seq: number | undefined): AnswerAsOf<number> | null {
    const cached = this.#cached.get(id)
    if (cached && cached.asOf === seq) return cached
    const document = this.#documents.get(id)
    if (!document) return null
    const { partition, order } = document
    return this.#cached.put(id, { partition, answer: answerOf(order) }, order.seq)
  }
}
