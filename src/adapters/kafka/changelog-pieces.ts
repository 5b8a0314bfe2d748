import { createHash } from 'node:crypto'
import type { KafkaMessage } from 'kafkajs'
import { z } from 'zod'
import { PIECES_SCHEMA } from '../../schemas/log.ts'

/**
 * Characters of JSON of one piece, nearly all of them ASCII that needs no escape: with everything
 * around them less than the 1 MiB that a record may have.
 */
export const PIECE_CHARACTERS = 2 ** 19

/** One key of `ingest.state`; null: the key was deleted. */
export interface ChangelogEntry {
  key: string
  value: unknown
}

/** A record of `ingest.state`, with its value's JSON, null for a deletion. */
export interface ChangelogRecord extends ChangelogEntry {
  text?: () => string
}

/** What the key of an entry in pieces has: all of them are of one writing. */
const Head = z.object({
  schema: z.literal(PIECES_SCHEMA),
  pieces: z.int().positive(),
  of: z.string(),
})
const Piece = z.object({ schema: z.literal(PIECES_SCHEMA), of: z.string(), text: z.string() })
const OF_CHARACTERS = 16

/** Before every other key of `ingest.state`, so that pieces come before their entry in key order too. */
const PIECE_KEY = '#'
const pieceKey = (key: string, at: number): string => `${PIECE_KEY} ${at} ${key}`

/** How many pieces an entry of this value is written in; 0: it is one record. */
export const piecesOf = (value: unknown, characters = PIECE_CHARACTERS): number => {
  const { length } = JSON.stringify(value)
  return length > characters ? Math.ceil(length / characters) : 0
}

/** An entry as records: if it is too large for one, its pieces and then what names them. */
export function* inPieces(
  { key, value }: ChangelogEntry,
  characters = PIECE_CHARACTERS,
): Generator<ChangelogRecord> {
  if (value === null) return yield { key, value }
  const json = JSON.stringify(value)
  if (json.length <= characters) return yield { key, value, text: () => json }
  const of = createHash('sha256').update(json).digest('hex').slice(0, OF_CHARACTERS)
  const pieces = Math.ceil(json.length / characters)
  for (let at = 0; at < pieces; at += 1) {
    const text = json.slice(at * characters, (at + 1) * characters)
    yield { key: pieceKey(key, at), value: { schema: PIECES_SCHEMA, of, text } }
  }
  yield { key, value: { schema: PIECES_SCHEMA, pieces, of } }
}

/** The deletions of the pieces of an entry that is written otherwise now, from the first on. */
export const withoutPieces = (key: string, pieces: number, from = 0): ChangelogEntry[] =>
  Array.from({ length: Math.max(0, pieces - from) }, (_, at) => ({
    key: pieceKey(key, from + at),
    value: null,
  }))

/** Puts entries together again from the records of a compacted topic, in whichever order of keys. */
export class EntryPieces {
  /** By key of the entry, its pieces by number. */
  readonly #there = new Map<string, Map<number, z.infer<typeof Piece>>>()

  /** Has every piece been used, so that none is missed by a reader that begins here? */
  get isEmpty(): boolean {
    return this.#there.size === 0
  }

  /**
   * The entry that the record is, or completes. Null: it is a piece, or names pieces that a later
   * writing of the entry has replaced, whose record follows.
   */
  read({ key, value }: Pick<KafkaMessage, 'key' | 'value'>): ChangelogEntry | null {
    const name = key?.toString() ?? ''
    const found: unknown = value === null ? null : JSON.parse(value.toString('utf8'))
    if (name.startsWith(`${PIECE_KEY} `)) {
      this.#keep(name, found)
      return null
    }
    const head = Head.safeParse(found).data
    if (!head) return { key: name, value: found }
    const text = this.#joined(name, head)
    return text === null ? null : { key: name, value: JSON.parse(text) }
  }

  #keep(name: string, found: unknown): void {
    const [, at = '', ...key] = name.split(' ')
    const ofEntry = key.join(' ')
    const piece = Piece.safeParse(found).data
    const pieces = this.#there.get(ofEntry) ?? new Map()
    if (piece) pieces.set(Number(at), piece)
    else pieces.delete(Number(at))
    if (pieces.size > 0) this.#there.set(ofEntry, pieces)
    else this.#there.delete(ofEntry)
  }

  #joined(key: string, { pieces: count, of }: z.infer<typeof Head>): string | null {
    const there = this.#there.get(key)
    const pieces = Array.from({ length: count }, (_, at) => there?.get(at))
    if (pieces.some((piece) => piece?.of !== of)) return null
    this.#there.delete(key)
    return pieces.map((piece) => piece?.text).join('')
  }
}
