import type { ChainableCommander } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { RedisConnection } from '../client/connection.ts'
import { type ChangeReply, changesAfter, LAST_CHANGE, NO_CHANGE, rangeAfter } from './changes.ts'
import type { KeptReads } from './kept-reads.ts'
import { CHUNK_SLOTS, chunksOf, SlotSet } from './slot-set.ts'
import { idOf, type MemberRange, type SortRow, slotOf } from './sort-members.ts'

/** Entries per command: a fraction of a millisecond of the server's time. */
export const STEP = 500
/** Bitmap pieces per command. */
const PIECES = 256
/** Bitmaps per transaction. */
export const BITMAPS = 32

/** Tries to read at one moment: while the views grow and change, one or two are needed. */
const ATTEMPTS = 10

/** What was read at one moment. */
export interface Snapshot {
  slots: number
  /** The last change before it. */
  mark: string
  /** Of what is walked. */
  members: readonly string[]
  /** Of the names, each no larger than needed: it is the reader's only until it waits. */
  sets: readonly SlotSet[]
  /** The first `STEP` of each span. */
  spans: readonly (readonly string[])[]
}

/** Members of an ordered set, from one bound to another. */
export interface Span {
  set: string
  from: Buffer
  to: Buffer
}

/** What is read at one moment. */
interface Beginning {
  /** At most `BITMAPS`. */
  names: readonly string[]
  walked: Span & { limit: number }
  spans: readonly Span[]
}

/** One generation of the views, to be read. */
export interface IndexSource {
  prefix: string
  run: RedisConnection['run']
  /** Reads at one moment; null if the generation was replaced before. */
  atOnce(ask: (transaction: ChainableCommander) => void): Promise<unknown[] | null>
}

/** The generation was replaced: its keys may be gone. */
export class ReplacedError extends Error {
  override name = 'ReplacedError'
}

/** The indexes of one generation, read in steps that do not grow with the number of orders. */
export class IndexReads {
  readonly #source: IndexSource
  readonly kept: KeptReads
  /** The moment of all that was read since it began; null if some of it was read later. */
  #mark: string | null = null

  constructor(source: IndexSource, kept: KeptReads) {
    this.#source = source
    this.kept = kept
  }

  /**
   * The number of slots, bitmaps and the beginnings of spans, of one moment.
   *
   * @throws ReplacedError
   */
  async begin(asked: Beginning): Promise<Snapshot> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const snapshot = await this.#trySnapshot(asked, attempt === 1)
      if (!snapshot) continue
      this.#mark = snapshot.mark
      return snapshot
    }
    throw new StorageUnavailableError('io', 'the views change faster than a page can be read')
  }

  /** Whether all that was read since a beginning, or had been kept, is of its moment. */
  isOf(mark: string): boolean {
    return this.#mark === mark && this.kept.at === mark
  }

  /**
   * Each of these bitmaps as a set, a transaction's worth of them at a time; cached ones are not
   * read again. A set may be used only until the reader waits.
   */
  async *bitmaps(names: readonly string[]): AsyncGenerator<[name: string, set: SlotSet], void> {
    for (let at = 0; at < names.length; at += BITMAPS) {
      const some = names.slice(at, at + BITMAPS)
      const kept = some.map((name) => this.kept.get(name))
      const isKept = kept.every((set) => set !== undefined)
      const { sets } = isKept ? { sets: kept } : await this.begin({ ...NOTHING, names: some })
      for (const [n, name] of some.entries()) yield [name, sets[n] ?? new SlotSet(0)]
    }
  }

  /** The members of a span in byte order, `STEP` at a time; the first are given if they were read before. */
  async *entries(span: Span, begun?: readonly string[]): AsyncGenerator<readonly string[], void> {
    let some = begun ?? (await this.range(span))
    for (;;) {
      yield some
      const last = some.at(-1)
      if (last === undefined || some.length < STEP) return
      some = await this.range({ ...span, from: Buffer.from(`(${last}`) })
    }
  }

  /** The orders in a range of an ordered set. */
  async *members(range: MemberRange): AsyncGenerator<{ id: string; slot: number }, void> {
    for await (const some of this.entries(inRange(range)))
      for (const member of some) yield { id: idOf(member), slot: slotOf(member) }
  }

  /** The sort row of each of these orders, `STEP` at a time: the next are on their way meanwhile. */
  async *rows(of: SlotSet): AsyncGenerator<readonly [slot: number, row: SortRow][], void> {
    const slots = [...of]
    const read = (at: number) => {
      const step = slots.slice(at, at + STEP)
      const texts = this.#run((redis) =>
        redis.hmget(`${this.#source.prefix}rows`, ...step.map(String)),
      )
      // Whoever reads no further does not see it fail.
      texts.catch(() => {})
      return { step, texts }
    }
    let next = slots.length > 0 ? read(0) : null
    for (let at = STEP; next; at += STEP) {
      const { step, texts } = next
      next = at < slots.length ? read(at) : null
      yield rowsOf(step, await texts)
    }
  }

  range({ set, from, to }: Span, limit = STEP): Promise<string[]> {
    return this.#run((redis) =>
      redis.zrangebylex(`${this.#source.prefix}${set}`, from, to, 'LIMIT', 0, limit),
    )
  }

  /** Null if it must be retried: the views have grown, or the cache was too old. */
  async #trySnapshot(
    { names, walked, spans }: Beginning,
    usesKept: boolean,
  ): Promise<Snapshot | null> {
    const kept = this.kept
    const before = kept.at
    const isKept = (name: string) => usesKept && before !== null && kept.get(name) !== undefined
    const missing = names.filter((name) => !isKept(name))
    const chunks = chunksOf(kept.slots)
    const pieces = piecesOf(missing, chunks)
    const replies = await this.#source.atOnce((transaction) => {
      const key = `${this.#source.prefix}changes`
      if (before === null) transaction.xrevrange(key, ...LAST_CHANGE)
      else transaction.xrange(key, ...rangeAfter(before))
      transaction.get(`${this.#source.prefix}slots`)
      for (const { set, from, to, limit } of [walked, ...spans.map(firstOf)])
        transaction.zrangebylex(`${this.#source.prefix}${set}`, from, to, 'LIMIT', 0, limit)
      for (const { bitmap, first, length } of pieces) {
        const keys = Array.from(
          { length },
          (_, n) => `${this.#source.prefix}b:${bitmap}:${first + n}`,
        )
        transaction.mgetBuffer(...keys)
      }
    })
    if (replies === null) throw new ReplacedError('the views were replaced')
    const [changes, count, ...found] = replies
    const [members = [], ...begun] = found.slice(0, 1 + spans.length) as string[][]
    const bits = found.slice(1 + spans.length) as (Buffer | null)[][]
    const slots = Number((count as string | null) ?? 0)
    kept.slots = slots
    const mark = this.#follow(before, changes as ChangeReply)
    if (mark === null) return null
    kept.begin(mark)
    // What is kept must not be of an earlier moment: the reader goes on with it.
    if (before === null && kept.at !== mark) return null
    if (missing.length > 0 && chunks < chunksOf(slots)) return null
    const read = setsOf(missing, pieces, bits, chunks)
    for (const [name, one] of read) kept.put(name, one, mark)
    const sets = names.map((name) => read.get(name) ?? kept.get(name))
    const isWhole = sets.every((one) => one !== undefined)
    // The cache must be of this moment, if any of it is used.
    const isOfNow = kept.at === mark || names.every((name) => read.has(name))
    if (!isWhole || !isOfNow) return null
    return { slots, mark, members, sets, spans: begun }
  }

  /** The last change of a reply; null if the cache cannot follow it. */
  #follow(before: string | null, reply: ChangeReply): string | null {
    if (before === null) return reply[0]?.[0] ?? NO_CHANGE
    const changes = changesAfter(before, reply)
    if (changes === null) {
      this.kept.forget()
      return null
    }
    this.kept.follow(changes)
    return changes.at(-1)?.id ?? before
  }

  #run: RedisConnection['run'] = (work) => {
    this.#mark = null
    return this.#source.run(work)
  }
}

function rowsOf(
  slots: readonly number[],
  texts: readonly (string | null)[],
): [slot: number, row: SortRow][] {
  // Missing only if the whole store was just lost: the next read of the page notices that.
  return slots.flatMap((slot, at) => {
    const text = texts[at]
    return text ? [[slot, JSON.parse(text) as SortRow]] : []
  })
}

/** Bitmaps alone are asked for. */
const NOTHING = {
  walked: { set: 'sort:newest', from: Buffer.from('-'), to: Buffer.from('+'), limit: 0 },
  spans: [],
}

const firstOf = (span: Span) => ({ ...span, limit: STEP })

/** The entries of a set with a prefix. */
export const withPrefix = (set: 'terms' | 'words', prefix: string): Span => ({
  set,
  from: Buffer.from(`[${prefix}`),
  to: above(prefix),
})

export const inRange = ({ set, from, below }: MemberRange): Span => ({
  set: `sort:${set}`,
  from: Buffer.from(`[${from}`),
  to: Buffer.from(`(${below}`),
})

/** A part of one bitmap: as many pieces as one command reads. */
interface Piece {
  bitmap: string
  first: number
  length: number
}

const piecesOf = (names: readonly string[], chunks: number): Piece[] =>
  names.flatMap((bitmap) =>
    Array.from({ length: Math.ceil(chunks / PIECES) }, (_, n) => {
      const first = n * PIECES
      return { bitmap, first, length: Math.min(PIECES, chunks - first) }
    }),
  )

function setsOf(
  names: readonly string[],
  pieces: readonly Piece[],
  bits: readonly (Buffer | null)[][],
  chunks: number,
): ReadonlyMap<string, SlotSet> {
  const sets = new Map(names.map((name) => [name, new SlotSet(chunks * CHUNK_SLOTS)]))
  for (const [at, { bitmap, first }] of pieces.entries()) {
    for (const [n, piece] of bits[at]?.entries() ?? [])
      if (piece) sets.get(bitmap)?.setChunk(first + n, piece)
  }
  return sets
}

/** A bound above every text with the prefix: no UTF-8 has this byte. */
export const above = (prefix: string): Buffer =>
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)])
