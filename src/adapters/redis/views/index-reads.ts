import type { ChainableCommander } from 'ioredis'
import { type RedisConnection, repliesOf } from '../connection.ts'
import { chunksOf, SlotSet } from './slot-set.ts'
import { type MemberRange, readMember, type SortRow } from './sort-members.ts'

/** Entries per command: a fraction of a millisecond of the server's time. */
export const STEP = 500
/** Bitmap pieces per command. */
const PIECES = 256
/** Bitmaps per transaction. */
export const BITMAPS = 32

/** Last known number of slots: the bitmaps up to it are read without asking how many there are. */
export interface SlotsHint {
  slots: number
}

/** The indexes of one generation, read in steps that do not grow with the number of orders. */
export class IndexReads {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #hint: SlotsHint

  constructor(connection: RedisConnection, prefix: string, hint: SlotsHint = { slots: 0 }) {
    this.#connection = connection
    this.#prefix = prefix
    this.#hint = hint
  }

  /** The number of slots, members of a set and the first bitmaps, of one moment. */
  async begin(
    names: readonly string[],
    { set, from, limit }: { set: string; from: Buffer; limit: number },
  ): Promise<{ slots: number; members: string[]; pieces: readonly ReadPiece[] }> {
    const known = chunksOf(this.#hint.slots)
    const { answers, read } = await this.#transaction(piecesOf(names, known), (transaction) => {
      transaction.get(`${this.#prefix}slots`)
      const key = `${this.#prefix}sort:${set}`
      transaction.zrangebylex(key, from, Buffer.from('+'), 'LIMIT', 0, limit)
    })
    const [count, members] = answers as [string | null, string[]]
    const slots = Number(count ?? 0)
    this.#hint.slots = slots
    const chunks = chunksOf(slots)
    const isWhole = names.length === 0 || chunks <= known
    return { slots, members, pieces: isWhole ? read : await this.#read(piecesOf(names, chunks)) }
  }

  /** The pieces of at most `BITMAPS` bitmaps, of one moment: an order that moves is in one state. */
  pieces(names: readonly string[], slots: number): Promise<readonly ReadPiece[]> {
    return this.#read(piecesOf(names, chunksOf(slots)))
  }

  /** Each of these bitmaps as a set, a transaction's worth of them at a time. */
  async *bitmaps(
    names: readonly string[],
    slots: number,
  ): AsyncGenerator<[name: string, set: SlotSet], void> {
    for (let at = 0; at < names.length; at += BITMAPS) {
      const some = names.slice(at, at + BITMAPS)
      const sets = some.map(() => new SlotSet(slots))
      addPieces(await this.pieces(some, slots), sets)
      for (const [n, name] of some.entries()) yield [name, sets[n] ?? new SlotSet(slots)]
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
        redis.hmget(`${this.#prefix}rows`, ...step.map(String)),
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
      redis.zrangebylex(`${this.#prefix}${set}`, from, to, 'LIMIT', 0, limit),
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

  async #read(pieces: readonly Piece[]): Promise<ReadPiece[]> {
    return (await this.#transaction(pieces)).read
  }

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

  #run: RedisConnection['run'] = (work) => this.#connection.run(work)
}

/** A part of one bitmap: as many pieces as one command reads. */
interface Piece {
  bitmap: string
  /** The place of the bitmap among those requested. */
  at: number
  first: number
  length: number
}

export interface ReadPiece extends Piece {
  bits: readonly (Buffer | null)[]
}

const piecesOf = (names: readonly string[], chunks: number): Piece[] =>
  names.flatMap((bitmap, at) =>
    Array.from({ length: Math.ceil(chunks / PIECES) }, (_, n) => {
      const first = n * PIECES
      return { bitmap, at, first, length: Math.min(PIECES, chunks - first) }
    }),
  )

export function addPieces(pieces: readonly ReadPiece[], into: readonly SlotSet[]): void {
  for (const { at, first, bits } of pieces) {
    for (const [n, chunk] of bits.entries()) if (chunk) into[at]?.addChunk(first + n, chunk)
  }
}

/** A bound above every text with the prefix: no UTF-8 has this byte. */
export const above = (prefix: string): Buffer =>
  Buffer.concat([Buffer.from(`(${prefix}`), Buffer.of(0xff)])
