import type { OrderSort, SortPosition } from '../../ports/order-views.ts'
import { answersOf, type RedisConnection } from './connection.ts'
import { END, term } from './order-entries.ts'
import type { Filter } from './query-filters.ts'
import { chunksOf, SlotSet } from './slot-set.ts'
import { memberAt, positionIn, readMember, type SortRow } from './sort-members.ts'

/** An order found in a sort. */
export interface Found {
  id: string
  /** As in the sort's set, without the slot. */
  member: string
}

/** Entries of one command: a fraction of a millisecond of the server's time. */
const STEP = 500
/** Pieces of bitmaps of one command. */
const PIECES = 256
/** Bitmaps of one transaction. */
const BITMAPS = 32
/** Matches that are sorted here at the most, whatever a walk would cost. */
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
    const named = await Promise.all(
      filters.map(async (filter) => [...filter.bits, ...(await this.#named(filter.words))]),
    )
    const sets = filters.map(() => new SlotSet(slots))
    await this.#readBitmaps(
      slots,
      named.flatMap((names, at) =>
        names.map((name): [string, SlotSet] => [name, sets[at] ?? matching]),
      ),
    )
    for (const [at, { terms, has }] of filters.entries()) {
      const set = sets[at] ?? matching
      for (const prefix of terms) {
        for await (const entry of this.entries('terms', prefix)) {
          set.add(Number(entry.slice(entry.lastIndexOf(END) + 1)))
        }
      }
      matching.keep(set, has)
    }
    return matching
  }

  /** The first matches of a sort after a position, by the way that reads less. */
  first(
    matching: SlotSet,
    total: number,
    sort: OrderSort,
    after: SortPosition | undefined,
    limit: number,
  ): Promise<Found[]> {
    const walked = (limit * matching.slots) / Math.max(1, total)
    return total <= STEP || (total <= SORTED_MOST && total <= walked)
      ? this.#sorted(matching, sort, after, limit)
      : this.#walked(matching, sort, after, limit)
  }

  /** The ids of orders after one, in their order. */
  async ids(after: string, limit: number): Promise<string[]> {
    const named = term('id', after)
    const from = after === '' ? Buffer.from(`[${named}`) : above(named)
    const found = await this.#range('terms', from, above(term('id', '')), limit)
    return found.map((entry) => entry.split(END)[1] ?? '')
  }

  /** The entries of a set with a prefix, in the order of their bytes. */
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
  ): Promise<Found[]> {
    const found: Found[] = []
    const slots = [...matching].map(String)
    const start = after ? memberAt(sort, after) : ''
    for (let at = 0; at < slots.length; at += STEP) {
      const rows = await this.#run((redis) =>
        redis.hmget(`${this.#prefix}rows`, ...slots.slice(at, at + STEP)),
      )
      for (const text of rows) {
        // Gone with the whole store in this moment: the next reading of the page finds that.
        if (text === null) continue
        const row = JSON.parse(text) as SortRow
        const member = memberAt(sort, positionIn(sort, row))
        if (member > start) found.push({ id: row[0], member })
      }
    }
    // Members are ASCII: their order here is that of their bytes.
    return found.sort((a, b) => (a.member < b.member ? -1 : 1)).slice(0, limit)
  }

  async #walked(
    matching: SlotSet,
    sort: OrderSort,
    after: SortPosition | undefined,
    limit: number,
  ): Promise<Found[]> {
    const found: Found[] = []
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

  async #named(words: readonly string[]): Promise<string[]> {
    const names = new Set<string>()
    for (const prefix of words) {
      for await (const entry of this.entries('words', prefix)) {
        names.add(entry.slice(entry.lastIndexOf(END) + 1))
      }
    }
    return [...names]
  }

  // Those of one transaction are of one moment: an order that moves is in one of two states.
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
        return answersOf(await transaction.exec())
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

/** A bound after every text with the prefix: no UTF-8 has this byte. */
const above = (prefix: string): Buffer =>
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)])
