import { answerOf } from '../../../domain/order/stored-answer.ts'
import { type AnswerAsOf, KeptAnswers } from '../../views/kept-answers.ts'
import type { ViewTables } from './view-tables.ts'

/** The answers of one side's orders: each is made when it is first shown, and kept for its version. */
export class OrderAnswers {
  readonly #documents: ViewTables['documents']
  readonly #kept = new KeptAnswers<string, number>()

  constructor({ documents }: ViewTables) {
    this.#documents = documents
  }

  /** One that is kept of this version, or else that of the version on disk; null without an order. */
  of(id: string, seq: number | undefined): AnswerAsOf<number> | null {
    const kept = this.#kept.get(id)
    if (kept && kept.asOf === seq) return kept
    const document = this.#documents.get(id)
    if (!document) return null
    const { partition, order } = document
    return this.#kept.put(id, { partition, answer: answerOf(order) }, order.seq)
  }
}
