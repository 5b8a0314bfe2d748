import type { FreshnessTerms } from '../../../domain/order/order-summary.ts'
import type {
  OrderQuery,
  SortPosition,
  StoredAnswerPage,
  StoredPage,
} from '../../../ports/views/order-views.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { madeInPieces } from '../../../runtime/time-slice.ts'
import type { AnswerDocument } from '../../views/kept-answers.ts'
import { ActionableReader, type ActionableTerms } from '../order-index/actionable-reader.ts'
import { type ChangeReply, changesAfter, rangeAfter } from '../order-index/changes.ts'
import { IndexReader } from '../order-index/index-reader.ts'
import type { IndexReads } from '../order-index/index-reads.ts'
import { listOf } from '../order-index/kept-lists.ts'
import type { IndexHit } from '../order-index/kept-walks.ts'
import { filtersOf } from '../order-index/query-filters.ts'
import { partOf, positionAt } from '../order-index/sort-members.ts'
import { askDocuments, readAnswer, readDocument } from './document.ts'
import type { Generation, Keyspace } from './keyspace.ts'
import type { FreshnessOfAll, RecentFreshness } from './recent-freshness.ts'

/** Answers are read so many at a time: a page of large ones ends before it has read all. */
const ANSWERS_STEP = 50

export interface PageReaderOptions {
  keyspace: Keyspace
  clock: Pick<Clock, 'monotonic' | 'turn'>
  recent: RecentFreshness
  readsOf(generation: Generation): IndexReads
}

/** The orders of a page, before their documents are read. */
interface Found {
  shown: readonly IndexHit[]
  total: number
  hasMore: boolean
  /** The last change before they were found. */
  mark: string
  /** They were found as of it, and not by anything that was read later. */
  isOfMark: boolean
  /** Keeps what was found for the next page, once it is known which orders changed meanwhile. */
  keep(changed: Iterable<number>): void
  /** By which they were found; null if it did not matter. */
  freshness: FreshnessOfAll | null
}

/** Documents, and the last change up to which none of the orders found changed. */
interface Texts {
  texts: readonly (string | null)[]
  freshness: FreshnessOfAll
  to: string
}

/** Answers, as of when they were found; null for an order that is gone. */
interface Answers {
  documents: readonly (AnswerDocument | null)[]
  freshness: FreshnessOfAll
}

/**
 * Pages of orders: found in the indexes, then read. An order that changed in between has the page
 * read again, so that each is shown as it was found.
 */
export class PageReader {
  readonly #keyspace: Keyspace
  readonly #clock: PageReaderOptions['clock']
  readonly #recent: RecentFreshness
  readonly #readsOf: PageReaderOptions['readsOf']

  constructor({ keyspace, clock, recent, readsOf }: PageReaderOptions) {
    this.#keyspace = keyspace
    this.#clock = clock
    this.#recent = recent
    this.#readsOf = readsOf
  }

  /** Null if an order of the page changed while it was read, or the views were replaced. */
  async page(generation: Generation, query: OrderQuery): Promise<StoredPage | null> {
    const found = await this.#find(generation, query, () => this.#freshnessNow(generation))
    const read = found && (await this.#read(generation, found, found.freshness))
    if (!read) return null
    const documents = (await madeInPieces(this.#clock, read.texts, readDocument)).filter(
      (document) => document !== null,
    )
    const orders = documents.map(({ order, partition }) => ({
      order,
      partition,
      freshness: read.freshness.get(partition) ?? null,
    }))
    return { orders, total: found.total, next: nextOf(query, found, found.shown.length) }
  }

  /**
   * The same of their answers, of which little is parsed, up to some bytes; freshness may be a quarter
   * of a second old.
   */
  async answers(
    generation: Generation,
    query: OrderQuery,
    mostBytes: number,
  ): Promise<StoredAnswerPage | null> {
    const prefix = this.#keyspace.prefixOf(generation)
    const before = this.#recent.of(prefix)
    const found = await this.#find(
      generation,
      query,
      async () => before ?? (await this.#freshnessNow(generation)),
    )
    if (!found) return null
    let freshness = found.freshness ?? before
    const answers: StoredAnswerPage['answers'][number][] = []
    let [end, bytes] = [0, 0]
    do {
      const step = found.shown.slice(end, end + ANSWERS_STEP)
      const read = await this.#answers(generation, { ...found, shown: step }, { freshness, before })
      if (!read) return null
      freshness = read.freshness
      for (const [at, { member }] of step.entries()) {
        const document = read.documents[at]
        if (!document) continue
        for (const piece of document.answer.pieces) bytes += piece.length
        const own = freshness.get(document.partition) ?? null
        answers.push({ ...document, freshness: own, position: positionAt(query.sort, member) })
      }
      end += step.length
    } while (end < found.shown.length && bytes <= mostBytes)
    return { answers, total: found.total, next: nextOf(query, found, end) }
  }

  /** Null if the views were replaced. */
  async #find(
    generation: Generation,
    query: OrderQuery,
    freshnessNow: () => Promise<FreshnessOfAll | null>,
  ): Promise<Found | null> {
    const { sort, limit, after, actionability } = query
    const reads = this.#readsOf(generation)
    const index = new IndexReader(reads)
    const walk = { sort, part: partOf(query), after, limit: limit + 1 }
    const matching = await index.matching(filtersOf(query), walk)
    let { list } = matching
    const freshness = actionability ? await freshnessNow() : null
    if (actionability) {
      if (!freshness) return null
      const terms = this.termsOf(actionability, freshness)
      const split = await new ActionableReader(reads, terms).split(list.slots)
      list = listOf(split[actionability.is])
    }
    const among = { ...matching, list }
    const hits = await index.first(among, walk)
    return {
      shown: hits.slice(0, limit),
      total: list.total,
      hasMore: hits.length > limit,
      mark: matching.mark,
      isOfMark: reads.isOf(matching.mark),
      keep: (changed) => index.keepFirst(among, walk, hits, changed),
      freshness,
    }
  }

  termsOf(moment: FreshnessTerms, freshness: FreshnessOfAll): ActionableTerms {
    return { moment, freshness, partitions: this.#keyspace.partitions }
  }

  /** Null if the views were replaced. */
  async #freshnessNow(generation: Generation): Promise<FreshnessOfAll | null> {
    const asked = this.#recent.now()
    let prefix = ''
    const replies = await this.#keyspace.readOf(generation, (pipeline, of) => {
      prefix = of
      pipeline.hgetall(`${of}freshness`)
    })
    return replies && this.#recent.keep(prefix, asked, replies[0])
  }

  /**
   * The answers of what was found, as it was found: those that are kept, and others; null if one of
   * the orders changed since. `before` is freshness from before they were found.
   */
  async #answers(
    generation: Generation,
    found: Found,
    { freshness, before }: Record<'freshness' | 'before', FreshnessOfAll | null>,
  ): Promise<Answers | null> {
    const { kept } = this.#readsOf(generation)
    const known = found.shown.map(({ slot }) => kept.answer(slot, found.mark) ?? null)
    const missing = found.shown.filter((_, at) => known[at] === null)
    // An order is never shown fresher than it is: what is kept is as of `mark`.
    if (missing.length === 0 && found.isOfMark && before !== null && freshness === before)
      return { documents: known, freshness }
    const read = await this.#read(generation, found, freshness, missing)
    if (!read) return null
    const fresh = missing.flatMap(({ slot }, at) => {
      const document = readAnswer(read.texts[at] ?? null)
      return document ? [[slot, document] as const] : []
    })
    kept.putAnswers(fresh, { from: found.mark, to: read.to })
    const bySlot = new Map(fresh)
    const documents = found.shown.map(({ slot }, at) => known[at] ?? bySlot.get(slot) ?? null)
    return { documents, freshness: read.freshness }
  }

  /** The documents of what was found, or of some, as all of it was found; null if one changed since. */
  async #read(
    generation: Generation,
    { shown, mark, isOfMark, keep }: Found,
    known: FreshnessOfAll | null,
    some = shown,
  ): Promise<Texts | null> {
    const asked = this.#recent.now()
    let prefix = ''
    const replies = await this.#keyspace.readOf(generation, (pipeline, of) => {
      prefix = of
      // Freshness is read first: an order is never shown fresher than it is.
      if (!known) pipeline.hgetall(`${of}freshness`)
      const ids = some.map(({ id }) => id)
      askDocuments(pipeline, of, ids)
      // Last: every change made before a document was read is among these.
      pipeline.xrange(`${of}changes`, ...rangeAfter(mark))
    })
    if (!replies) return null
    const changes = changesAfter(mark, replies.pop() as ChangeReply)
    const changed = new Set(changes?.map(({ slot }) => slot))
    if (!changes || shown.some(({ slot }) => changed.has(slot))) return null
    if (!isOfMark) keep(changed)
    const freshness = known ?? this.#recent.keep(prefix, asked, replies.shift())
    const texts = (replies as (string | null)[][]).flat()
    const to = changes.at(-1)?.id ?? mark
    return texts.includes(null) ? null : { texts, freshness, to }
  }
}

/** Of a page that ends after so many of the orders found. */
function nextOf({ sort }: OrderQuery, { shown, hasMore }: Found, end: number): SortPosition | null {
  const last = shown[end - 1]
  return last && (hasMore || end < shown.length) ? positionAt(sort, last.member) : null
}
