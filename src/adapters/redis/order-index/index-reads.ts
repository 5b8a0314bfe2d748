import type { ChainableCommander } from 'ioredis'
import { StorageUnavailableError } from '../../../ports/log/storage-errors.ts'
import type { RedisConnection } from '../connection.ts'
import { type ChangeReply, changesAfter, LAST_CHANGE, NO_CHANGE, rangeAfter } from './changes.ts'
import type { KeptReads } from './kept-reads.ts'
import { CHUNK_SLOTS, chunksOf, SlotSet } from './slot-set.ts'
import { type MemberRange, readMember, type SortRow } from './sort-members.ts'

/** Entries per command: a fraction of a millisecond of the server's time. */
export const STEP = 500
/** Bitmap pieces per command. */
const PIECES = 256
/** Bitmaps per transaction. */
export const BITMAPS = 32

/** Tries to read at one moment: while the views grow and change, one or two are needed. */
const ATTEMPTS = 10

/** What was read at one moment. */
interface Snapshot {
  slots: number
  /** The last change before it. */
  mark: string
  members: string[]
  /** Of the names, each no larger than needed: it is the reader's only until it waits. */
  sets: readonly SlotSet[]
}

interface Beginning {
  set: string
  from: Buffer
  limit: number
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

  constructor(source: IndexSource, kept: KeptReads) {
    this.#source = source
    this.kept = kept
  }

  /**
   * The number of slots, members of a set and at most `BITMAPS` bitmaps, of one moment.
   *
   * @throws ReplacedError
   */
  async begin(names: readonly string[], walked: Beginning): Promise<Snapshot> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const snapshot = await this.#trySnapshot(names, walked, attempt === 1)
      if (snapshot) return snapshot
    }
    throw new StorageUnavailableError('io', 'the views change faster than a page can be read')
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
      const { sets } = isKept ? { sets: kept } : await this.begin(some, NOTHING)
      for (const [n, name] of some.entries()) yield [name, sets[n] ?? new SlotSet(0)]
    }
  }

  /** The entries of a set with a prefix, in byte order. */
  async *entries(set: string, prefix: string): AsyncGenerator<string> {
    yield* this.#entriesOf(set, prefix, above(prefix))
  }

  /** The orders in a range of an ordered set. */
  async *members({ set, from, below }: MemberRange): AsyncGenerator<{ id: string; slot: number }> {
    const found = this.#entriesOf(`sort:${set}`, from, Buffer.from(`(${below}`))
    for await (const member of found) yield readMember(member)
  }

  /** The sort row of each of these orders. */
  async *rows(of: SlotSet): AsyncGenerator<[slot: number, row: SortRow]> {
    const slots = [...of]
    for (let at = 0; at < slots.length; at += STEP) {
      const step = slots.slice(at, at + STEP)
      const texts = await this.#run((redis) =>
        redis.hmget(`${this.#source.prefix}rows`, ...step.map(String)),
      )
      for (const [n, slot] of step.entries()) {
        const text = texts[n]
        // Missing only if the whole store was just lost: the next read of the page notices that.
        if (text) yield [slot, JSON.parse(text) as SortRow]
      }
    }
  }

  range(set: string, from: Buffer, to: Buffer, limit = STEP): Promise<string[]> {
    return this.#run((redis) =>
      redis.zrangebylex(`${this.#source.prefix}${set}`, from, to, 'LIMIT', 0, limit),
    )
  }

  async *#entriesOf(set: string, first: string, end: Buffer): AsyncGenerator<string> {
    let from = Buffer.from(`[${first}`)
    for (;;) {
      const found = await this.range(set, from, end)
      yield* found
      const last = found.at(-1)
      if (last === undefined || found.length < STEP) return
      from = Buffer.from(`(${last}`)
    }
  }

  /** Null if it must be retried: the views have grown, or the cache was too old. */
  async #trySnapshot(
    names: readonly string[],
    { set, from, limit }: Beginning,
    usesKept: boolean,
  ): Promise<Snapshot | null> {
    const kept = this.kept
    const before = usesKept ? kept.at : null
    const missing = names.filter((name) => before === null || !kept.get(name))
    const chunks = chunksOf(kept.slots)
    const pieces = piecesOf(missing, chunks)
    const replies = await this.#source.atOnce((transaction) => {
      const key = `${this.#source.prefix}changes`
      if (before === null) transaction.xrevrange(key, ...LAST_CHANGE)
      else transaction.xrange(key, ...rangeAfter(before))
      transaction.get(`${this.#source.prefix}slots`)
      const members = `${this.#source.prefix}sort:${set}`
      transaction.zrangebylex(members, from, Buffer.from('+'), 'LIMIT', 0, limit)
      for (const { bitmap, first, length } of pieces) {
        const keys = Array.from(
          { length },
          (_, n) => `${this.#source.prefix}b:${bitmap}:${first + n}`,
        )
        transaction.mgetBuffer(...keys)
      }
    })
    if (replies === null) throw new ReplacedError('the views were replaced')
    const [changes, count, members, ...bits] = replies
    const slots = Number((count as string | null) ?? 0)
    kept.slots = slots
    if (missing.length > 0 && chunks < chunksOf(slots)) return null
    const mark = this.#follow(before, changes as ChangeReply)
    if (mark === null) return null
    kept.begin(mark)
    const read = setsOf(missing, pieces, bits as (Buffer | null)[][], chunks)
    for (const [name, one] of read) kept.put(name, one, mark)
    const sets = names.map((name) => read.get(name) ?? kept.get(name))
    const isWhole = sets.every((one) => one !== undefined)
    // The cache must be of this moment, if any of it is used.
    const isOfNow = kept.at === mark || names.every((name) => read.has(name))
    if (!isWhole || !isOfNow) return null
    return { slots, mark, members: members as string[], sets }
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

  #run: RedisConnection['run'] = (work) => this.#source.run(work)
}

/** No members: bitmaps alone are asked for. */
const NOTHING: Beginning = { set: 'newest', from: Buffer.from('-'), limit: 0 }

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
