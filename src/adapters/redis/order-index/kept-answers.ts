import { LRUCache } from 'lru-cache'
import type { StoredAnswer } from '../../../domain/order/stored-answer.ts'

/** An order's answer, of which nothing has to be parsed but what the moment decides. */
export interface AnswerDocument {
  partition: number
  answer: StoredAnswer
}

/** Of all together: some 25,000. */
const KEPT_BYTES = 64 * 2 ** 20
/** Of an answer, beside its text. */
const OWN_BYTES = 512

/** An answer, and the id of a change as of which it was its order's. */
interface Kept {
  document: AnswerDocument
  since: string
}

/** Answers that pages have shown, by the slot of their order; each is dropped when that changes. */
export class KeptAnswers {
  readonly #bySlot = new LRUCache<number, Kept>({ maxSize: KEPT_BYTES })

  get(slot: number): Kept | undefined {
    return this.#bySlot.get(slot)
  }

  put(slot: number, { partition, answer }: AnswerDocument, since: string): void {
    const { judged, digest } = answer
    let size = OWN_BYTES
    const pieces = answer.pieces.map((piece) => {
      // A copy: the pieces are cut from the text of the whole order, which they would hold in memory.
      const bytes = Buffer.from(piece)
      size += bytes.length === piece.length ? piece.length : 2 * piece.length
      return bytes.toString()
    })
    this.#bySlot.set(
      slot,
      { document: { partition, answer: { judged, pieces, digest } }, since },
      { size },
    )
  }

  drop(slot: number): void {
    this.#bySlot.delete(slot)
  }

  clear(): void {
    this.#bySlot.clear()
  }
}
