import type { OrderSort, SortPosition } from '../../ports/order-views.ts'
import { type RedisConnection, repliesOf } from './connection.ts'
import { END, term, wordEntriesOf } from './order-entries.ts'
import type { Filter } from './query-filters.ts'
import { chunksOf, SlotSet } from './slot-set.ts'
import { memberAt, positionIn, readMember, type SortRow } from './sort-members.ts'

/** An order found in a sort. */
export interface IndexHit {
  id: string
  /** As in the sort's set, without the slot. */
  member: string
}

/** Entries per command: a fraction of a millisecond of the server's time. */
const STEP = 500
/** Bitmap pieces per command. */
const PIECES = 256
/** Bitmaps per transaction. */
const BITMAPS = 32
/**
 * Most tokens and markets that a search reads by their bitmaps, one for each 4,096 orders: that
 * many amount to a quarter of the rows of all orders, which are read instead when there are more.
 */
const WORD_BITMAPS = 1_024
/** Most matches sorted here, whatever a walk would cost. */
const SORTED_MOST = 20_000

/** The indexes, read in steps that do not grow with the number of orders. */
export class IndexReader {
  readonly #connection: RedisConnection
  readonly #prefix: string

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection
    this.#prefix = prefix
  }

  /** The slots of the orders that pass every filter. */
  async matching(filters: readonly Filter[]): Promise<SlotSet> {
    const slots = Number((await this.#run((redis) => redis.get(`${this.#prefix}slots`))) ?? 0)
    const matching = SlotSet.all(slots)
    if (slots === 0) return matching
    const byWords = await Promise.all(filters.map(({ words }) => this.#named(words)))
    const named = filters.map(({ bits }, at) => [...bits, ...(byWords[at] ?? [])])
    const sets = filters.map(() => new SlotSet(slots))
    await this.#readBitmaps(
      slots,
      named.flatMap((names, at) =>
        names.map((name): [string, SlotSet] => [name, sets[at] ?? matching]),
      ),
    )
    // Filters that read rows come last: orders excluded by the others are not read.
    const order = [...filters.entries()].sort(
      ([one], [other]) => Number(byWords[one] === null) - Number(byWords[other] === null),
    )
    for (const [at, { terms, words, has }] of order) {
      const set = sets[at] ?? matching
      if (byWords[at] === null) await this.#addByRows(words, matching, set)
      for (const prefix of terms) {
        for await (const entry of this.entries('terms', prefix)) {
          set.add(Number(entry.slice(entry.lastIndexOf(END) + 1)))
        }
      }
      matching.keep(set, has)
    }
    return matching
  }

  /** The first matches of a sort after a position, by whichever way reads less. */
  first(
    matching: SlotSet,
    total: number,
    sort: OrderSort,
    after: SortPosition | undefined,
    limit: number,
  ): Promise<IndexHit[]> {
    const walked = (limit * matching.slots) / Math.max(1, total)
    return total <= STEP || (total <= SORTED_MOST && total <= walked)
      ? this.#sorted(matching, sort, after, limit)
      : this.#walked(matching, sort, after, limit)
  }

  /** The ids of orders after one, in id order. */
  async ids(after: string, limit: number): Promise<string[]> {
    const named = term('id', after)
    const from = after === '' ? Buffer.from(`[${named}`) : above(named)
    const found = await this.#range('terms', from, above(term('id', '')), limit)
    return found.map((entry) => entry.split(END)[1] ?? '')
  }

  /** The entries of a set with a prefix, in byte order. */
  async *entries(set: string, prefix: string): AsyncGenerator<string> {
    const end = above(prefix)
    let from = Buffer.from(`[${prefix}`)
    for (;;) {
      const found = await this.#range(set, from, end)
      yield* found
      const last = found.at(-1)
      if (last === undefined || found.length < STEP) return
      from = Buffer.from(`(${last}`)
    }
  }

  async #sorted(
    matching: SlotSet,
    sort: OrderSort,
    after: SortPosition | undefined,
    limit: number,
  ): Promise<IndexHit[]> {
    const found: IndexHit[] = []
    const start = after ? memberAt(sort, after) : ''
    for await (const [, row] of this.#rows(matching)) {
      const member = memberAt(sort, positionIn(sort, row))
      if (member > start) found.push({ id: row[0], member })
    }
    // Members are ASCII: their order here is that of their bytes.
    return found.sort((a, b) => (a.member < b.member ? -1 : 1)).slice(0, limit)
  }

  async #walked(
    matching: SlotSet,
    sort: OrderSort,
    after: SortPosition | undefined,
    limit: number,
  ): Promise<IndexHit[]> {
    const found: IndexHit[] = []
    let from = after ? above(memberAt(sort, after)) : Buffer.from('-')
    for (;;) {
      const members = await this.#range(`sort:${sort}`, from, Buffer.from('+'))
      for (const member of members) {
        const { id, slot } = readMember(member)
        if (!matching.has(slot)) continue
        found.push({ id, member: member.slice(0, member.lastIndexOf(':') + 1) })
        if (found.length === limit) return found
      }
      const last = members.at(-1)
      if (last === undefined || members.length < STEP) return found
      from = Buffer.from(`(${last}`)
    }
  }

  /** The bitmaps of what has a word with any of these prefixes; null if there are too many. */
  async #named(words: readonly string[]): Promise<string[] | null> {
    const names = new Set<string>()
    for (const prefix of words) {
      for await (const entry of this.entries('words', prefix)) {
        names.add(entry.slice(entry.lastIndexOf(END) + 1))
        if (names.size > WORD_BITMAPS) return null
      }
    }
    return [...names]
  }

  /** Adds the slots of `among` whose token or market has a word with one of these prefixes. */
  async #addByRows(words: readonly string[], among: SlotSet, set: SlotSet): Promise<void> {
    for await (const [slot, row] of this.#rows(among)) {
      const entries = wordEntriesOf(row)
      if (words.some((prefix) => entries.some((entry) => entry.startsWith(prefix)))) set.add(slot)
    }
  }

  /** The sort row of each of these orders. */
  async *#rows(of: SlotSet): AsyncGenerator<[slot: number, row: SortRow]> {
    const slots = [...of]
    for (let at = 0; at < slots.length; at += STEP) {
      const step = slots.slice(at, at + STEP)
      const texts = await this.#run((redis) =>
        redis.hmget(`${this.#prefix}rows`, ...step.map(String)),
      )
      for (const [n, slot] of step.entries()) {
        const text = texts[n]
        // Gone with the whole store just now: the next reading of the page notices.
        if (text) yield [slot, JSON.parse(text) as SortRow]
      }
    }
  }

  // A transaction's bitmaps are of one moment: an order that moves is in one of two states.
  async #readBitmaps(slots: number, wanted: readonly [name: string, into: SlotSet][]) {
    const chunks = chunksOf(slots)
    for (let at = 0; at < wanted.length; at += BITMAPS) {
      const pieces = wanted.slice(at, at + BITMAPS).flatMap(([name, into]) =>
        Array.from({ length: Math.ceil(chunks / PIECES) }, (_, n) => {
          const first = n * PIECES
          const length = Math.min(PIECES, chunks - first)
          const keys = Array.from(
            { length },
            (_, chunk) => `${this.#prefix}b:${name}:${first + chunk}`,
          )
          return { into, first, keys }
        }),
      )
      const replies = await this.#run(async (redis) => {
        const transaction = redis.multi()
        for (const { keys } of pieces) transaction.mgetBuffer(...keys)
        return repliesOf(await transaction.exec())
      })
      for (const [n, { into, first }] of pieces.entries()) {
        for (const [chunk, bits] of ((replies[n] ?? []) as (Buffer | null)[]).entries()) {
          if (bits) into.addChunk(first + chunk, bits)
        }
      }
    }
  }

  #range(set: string, from: Buffer, to: Buffer, limit = STEP): Promise<string[]> {
    return this.#run((redis) =>
      redis.zrangebylex(`${this.#prefix}${set}`, from, to, 'LIMIT', 0, limit),
    )
  }

  #run: RedisConnection['run'] = (work) => this.#connection.run(work)
}

/** A bound above every text with the prefix: no UTF-8 has this byte. */
const above = (prefix: string): Buffer =>
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)])
