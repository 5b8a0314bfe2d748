import type { ChainableCommander } from 'ioredis'
import type { OrderSort } from '../../../domain/listing/sorts.ts'
import type { SortPosition } from '../../../ports/views/order-views.ts'
import { type RedisConnection, repliesOf } from '../connection.ts'
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

/** A walk of a sort: where it begins, and how many orders it looks for. */
export interface Walk {
  sort: OrderSort
  after: SortPosition | undefined
  limit: number
}

export interface Matching {
  /** The slots of the orders that pass every filter. */
  slots: SlotSet
  /** The first entries of the walk, of the same moment: `BEGUN` for each order looked for. */
  begun: readonly string[]
}

/** Last known number of slots: the bitmaps up to it are read without asking how many there are. */
export interface SlotsHint {
  slots: number
}

/** Entries of a sort that are read with the bitmaps, per order looked for. */
const BEGUN = 2
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
  readonly #hint: SlotsHint

  constructor(connection: RedisConnection, prefix: string, hint: SlotsHint = { slots: 0 }) {
    this.#connection = connection
    this.#prefix = prefix
    this.#hint = hint
  }

  /** The orders that pass every filter, and the beginning of the walk: one round trip for most. */
  async matching(filters: readonly Filter[], walk: Walk): Promise<Matching> {
    const byWords = await Promise.all(filters.map(({ words }) => this.#named(words)))
    const named = filters.map(({ bits }, at) => [...bits, ...(byWords[at] ?? [])])
    const names = named.flat()
    const { slots, begun, pieces } = await this.#begin(names.slice(0, BITMAPS), walk)
    const matching = SlotSet.all(slots)
    const sets = filters.map(() => new SlotSet(slots))
    const into = named.flatMap((of, at) => of.map(() => sets[at] ?? matching))
    addPieces(pieces, into)
    for (let at = BITMAPS; at < names.length; at += BITMAPS) {
      const wanted = piecesOf(names.slice(at, at + BITMAPS), chunksOf(slots))
      addPieces(await this.#read(wanted), into.slice(at))
    }
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
    return { slots: matching, begun }
  }

  /** The first matches of the walk, by whichever way reads less. */
  async first({ slots, begun }: Matching, total: number, walk: Walk): Promise<IndexHit[]> {
    const { limit } = walk
    const near = hitsOf(begun, slots)
    if (near.length >= limit || begun.length < BEGUN * limit) return near.slice(0, limit)
    const walked = (limit * slots.slots) / Math.max(1, total)
    return total <= STEP || (total <= SORTED_MOST && total <= walked)
      ? this.#sorted(slots, walk)
      : this.#walked(slots, walk, near, begun.at(-1))
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

  async #sorted(matching: SlotSet, { sort, after, limit }: Walk): Promise<IndexHit[]> {
    const found: IndexHit[] = []
    const start = after ? memberAt(sort, after) : ''
    for await (const [, row] of this.#rows(matching)) {
      const member = memberAt(sort, positionIn(sort, row))
      if (member > start) found.push({ id: row[0], member })
    }
    // Members are ASCII: their order here is that of their bytes.
    return found.sort((a, b) => (a.member < b.member ? -1 : 1)).slice(0, limit)
  }

  /** Goes on behind the entry that was read last. */
  async #walked(
    matching: SlotSet,
    { sort, limit }: Walk,
    near: readonly IndexHit[],
    from: string | undefined,
  ): Promise<IndexHit[]> {
    const found = [...near]
    for (let last = from; last !== undefined && found.length < limit; ) {
      const members = await this.#range(`sort:${sort}`, Buffer.from(`(${last}`), Buffer.from('+'))
      found.push(...hitsOf(members, matching))
      last = members.length < STEP ? undefined : members.at(-1)
    }
    return found.slice(0, limit)
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

  /** The number of slots, the beginning of the walk and the first bitmaps, of one moment. */
  async #begin(names: readonly string[], { sort, after, limit }: Walk) {
    const from = after ? above(memberAt(sort, after)) : Buffer.from('-')
    const known = chunksOf(this.#hint.slots)
    const { answers, read } = await this.#transaction(piecesOf(names, known), (transaction) => {
      transaction.get(`${this.#prefix}slots`)
      transaction.zrangebylex(
        `${this.#prefix}sort:${sort}`,
        from,
        Buffer.from('+'),
        'LIMIT',
        0,
        BEGUN * limit,
      )
    })
    const [count, begun] = answers as [string | null, string[]]
    const slots = Number(count ?? 0)
    this.#hint.slots = slots
    const chunks = chunksOf(slots)
    const isWhole = names.length === 0 || chunks <= known
    return { slots, begun, pieces: isWhole ? read : await this.#read(piecesOf(names, chunks)) }
  }

  async #read(pieces: readonly Piece[]): Promise<ReadPiece[]> {
    return (await this.#transaction(pieces)).read
  }

  // A transaction's bitmaps are of one moment: an order that moves is in one of two states.
  async #transaction(
    pieces: readonly Piece[],
    ask: (transaction: ChainableCommander) => void = () => {},
  ): Promise<{ answers: unknown[]; read: ReadPiece[] }> {
    const answers = await this.#run(async (redis) => {
      const transaction = redis.multi()
      ask(transaction)
      for (const { bitmap, first, length } of pieces) {
        const keys = Array.from({ length }, (_, n) => `${this.#prefix}b:${bitmap}:${first + n}`)
        transaction.mgetBuffer(...keys)
      }
      return repliesOf(await transaction.exec())
    })
    const bits = answers.splice(answers.length - pieces.length) as (Buffer | null)[][]
    return { answers, read: pieces.map((piece, n) => ({ ...piece, bits: bits[n] ?? [] })) }
  }

  #range(set: string, from: Buffer, to: Buffer, limit = STEP): Promise<string[]> {
    return this.#run((redis) =>
      redis.zrangebylex(`${this.#prefix}${set}`, from, to, 'LIMIT', 0, limit),
    )
  }

  #run: RedisConnection['run'] = (work) => this.#connection.run(work)
}

/** A part of one bitmap: as many pieces as one command reads. */
interface Piece {
  bitmap: string
  /** The place of the bitmap among those asked for. */
  at: number
  first: number
  length: number
}

interface ReadPiece extends Piece {
  bits: readonly (Buffer | null)[]
}

const piecesOf = (names: readonly string[], chunks: number): Piece[] =>
  names.flatMap((bitmap, at) =>
    Array.from({ length: Math.ceil(chunks / PIECES) }, (_, n) => {
      const first = n * PIECES
      return { bitmap, at, first, length: Math.min(PIECES, chunks - first) }
    }),
  )

function addPieces(pieces: readonly ReadPiece[], into: readonly SlotSet[]): void {
  for (const { at, first, bits } of pieces) {
    for (const [n, chunk] of bits.entries()) if (chunk) into[at]?.addChunk(first + n, chunk)
  }
}

const hitsOf = (members: readonly string[], matching: SlotSet): IndexHit[] =>
  members.flatMap((member) => {
    const { id, slot } = readMember(member)
    return matching.has(slot) ? [{ id, member: member.slice(0, member.lastIndexOf(':') + 1) }] : []
  })

/** A bound above every text with the prefix: no UTF-8 has this byte. */
const above = (prefix: string): Buffer =>
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)])
