import { LRUCache } from 'lru-cache'
import type { StoredOrderAnswer } from '../../ports/views/order-views.ts'

/** An order's answer, of which nothing has to be parsed but what the moment decides. */
export type AnswerDocument = Omit<StoredOrderAnswer, 'freshness'>

/** Bytes of all cached answers: some 25,000 answers. */
const CACHED_BYTES = 64 * 2 ** 20
/** Bytes of a cached answer beside its text. */
const OWN_BYTES = 1_000

/** An answer, and the version of its order, or a moment at which it was its order's. */
export interface AnswerAsOf<AsOf> {
  document: AnswerDocument
  asOf: AsOf
}

/** Answers that were shown before, 64 MiB at most: the least recently used go first. */
export class CachedAnswers<Key extends string | number, AsOf> {
  readonly #byKey = new LRUCache<Key, AnswerAsOf<AsOf>>({ maxSize: CACHED_BYTES })

  get(key: Key): AnswerAsOf<AsOf> | undefined {
    return this.#byKey.get(key)
  }

  put(key: Key, { partition, answer }: AnswerDocument, asOf: AsOf): AnswerAsOf<AsOf> {
    const pieces = answer.pieces.map(copied)
    const ownAnswer = { judged: answer.judged, pieces, digest: copied(answer.digest) }
    const size = OWN_BYTES + pieces.reduce((sum, piece) => sum + bytesOf(piece), 0)
    const cached = { document: { partition, answer: ownAnswer }, asOf }
    this.#byKey.set(key, cached, { size })
    return cached
  }

  drop(key: Key): void {
    this.#byKey.delete(key)
  }

  clear(): void {
    this.#byKey.clear()
  }
}

/** Texts may be parts of a longer one, or joined of many: either would stay in memory. */
const copied = (text: string): string => Buffer.from(text).toString()

/** A character beyond ASCII may double all others. */
const bytesOf = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
