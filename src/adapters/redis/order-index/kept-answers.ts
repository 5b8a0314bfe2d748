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
    const pieces = answer.pieces.map(copied)
    const answerKept = { judged: answer.judged, pieces, digest: copied(answer.digest) }
    const size = OWN_BYTES + pieces.reduce((sum, piece) => sum + bytesOf(piece), 0)
    this.#bySlot.set(slot, { document: { partition, answer: answerKept }, since }, { size })
  }

  drop(slot: number): void {
    this.#bySlot.delete(slot)
  }

  clear(): void {
    this.#bySlot.clear()
  }
}

/** Texts are cut from that of the whole order, and would hold it in memory. */
const copied = (text: string): string => Buffer.from(text).toString()

/** A character beyond ASCII may double all others. */
const bytesOf = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
