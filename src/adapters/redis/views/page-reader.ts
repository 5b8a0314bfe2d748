import type { FacetCounts } from '../../../domain/listing/facet-counts.ts'
import type {
  CountQuery,
  OrderQuery,
  SortPosition,
  StoredAnswerPage,
  StoredPage,
} from '../../../ports/views/order-views.ts'
import type { IndexPage } from '../../../query-index/query-index.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { mapYielding } from '../../../runtime/time-slice.ts'
import { type AnswerDocument, CachedAnswers } from '../../views/cached-answers.ts'
import { askDocuments, readAnswer, readDocument, seqOf } from './document.ts'
import type { GenerationIndex } from './generation-index.ts'
import type { Keyspace } from './keyspace.ts'
import type { FreshnessOfAll, RecentFreshness } from './recent-freshness.ts'

/** Answers per read: a page of large answers ends before all of them were read. */
const ANSWERS_STEP = 50

export interface PageReaderOptions {
  keyspace: Keyspace
  clock: Pick<Clock, 'monotonic' | 'turn'>
  recent: RecentFreshness
}

type FoundOrders = IndexPage['found']

/**
 * Pages of orders: found in the index, then read. If an order changed in between, the page is found
 * again, so that each order is shown at the version that was found.
 */
export class PageReader {
  readonly #keyspace: Keyspace
  readonly #clock: PageReaderOptions['clock']
  readonly #recent: RecentFreshness
  readonly #answers = new CachedAnswers<string, number>()

  constructor({ keyspace, clock, recent }: PageReaderOptions) {
    this.#keyspace = keyspace
    this.#clock = clock
    this.#recent = recent
  }

  /** Null if an order of the page changed while it was read, or the views were replaced. */
  async page(followed: GenerationIndex, query: OrderQuery): Promise<StoredPage | null> {
    const current = await this.#current(followed)
    if (!current) return null
    const { index, freshness } = current
    const { found, total, next } = index.page(query, freshness)
    const texts = await this.#texts(followed, found)
    if (!texts) return null
    const documents = await mapYielding(this.#clock, texts, readDocument)
    const orders = documents.flatMap((document) =>
      document ? [{ ...document, freshness: freshness.get(document.partition) ?? null }] : [],
    )
    return { orders, total, next }
  }

  /** A page of answers, which are hardly parsed, up to `fits`. */
  async answers(
    followed: GenerationIndex,
    query: OrderQuery,
    mostBytes: number,
  ): Promise<StoredAnswerPage | null> {
    const current = await this.#current(followed)
    if (!current) return null
    const { index, freshness } = current
    const { found, total, next } = index.page(query, freshness)
    const answers: StoredAnswerPage['answers'][number][] = []
    let bytes = 0
    while (answers.length < found.length && bytes <= mostBytes) {
      const step = found.slice(answers.length, answers.length + ANSWERS_STEP)
      const read = await this.#answersOf(followed, step)
      if (!read) return null
      for (const [at, document] of read.entries()) {
        for (const piece of document.answer.pieces) bytes += piece.length
        const position = step[at]?.position as SortPosition
        const own = freshness.get(document.partition) ?? null
        answers.push({ ...document, freshness: own, position })
      }
    }
    const isWhole = answers.length === found.length
    return { answers, total, next: isWhole ? next : (answers.at(-1)?.position ?? null) }
  }

  /** Null if the views were replaced. */
  async counts(followed: GenerationIndex, query: CountQuery): Promise<FacetCounts | null> {
    const current = await this.#current(followed)
    return current ? current.index.counts(query, current.freshness) : null
  }

  /** The freshness is read before the orders are found: no order is shown fresher than it is. */
  async #current(followed: GenerationIndex) {
    const freshness = await this.#freshness(followed)
    const index = freshness && (await followed.current())
    return index && { index, freshness }
  }

  /** The freshness, at most a quarter of a second old; null if the views were replaced. */
  async #freshness({ generation }: GenerationIndex): Promise<FreshnessOfAll | null> {
    const prefix = this.#keyspace.prefixOf(generation)
    const recent = this.#recent.of(prefix)
    if (recent) return recent
    const asked = this.#recent.now()
    const replies = await this.#keyspace.readOf(generation, (pipeline) =>
      pipeline.hgetall(`${prefix}freshness`),
    )
    return replies && this.#recent.keep(prefix, asked, replies[0])
  }

  /** The answers of the orders found, from the cache or Redis; null if an order changed since. */
  async #answersOf(
    followed: GenerationIndex,
    found: FoundOrders,
  ): Promise<AnswerDocument[] | null> {
    const known = found.map(({ position: { id }, seq }) => {
      const cached = this.#answers.get(id)
      return cached?.asOf === seq ? cached.document : null
    })
    const missing = found.filter((_, at) => known[at] === null)
    const texts = await this.#texts(followed, missing)
    if (!texts) return null
    const read = new Map(
      missing.map(({ position: { id }, seq }, at) => {
        const document = readAnswer(texts[at] ?? null)
        return [id, document && this.#answers.put(id, document, seq).document]
      }),
    )
    const all = found.map(({ position: { id } }, at) => known[at] ?? read.get(id) ?? null)
    return all.includes(null) ? null : (all as AnswerDocument[])
  }

  /** The documents of the orders found; null if one is not of the version found. */
  async #texts({ generation }: GenerationIndex, found: FoundOrders): Promise<Buffer[] | null> {
    if (found.length === 0) return []
    const replies = await this.#keyspace.readOf(generation, (pipeline, prefix) => {
      const ids = found.map(({ position }) => position.id)
      askDocuments(pipeline, prefix, ids)
    })
    const texts = (replies as (Buffer | null)[][] | null)?.flat() ?? []
    const isAsFound = texts.every((text, at) => text !== null && seqOf(text) === found[at]?.seq)
    return replies && isAsFound ? (texts as Buffer[]) : null
  }
}
