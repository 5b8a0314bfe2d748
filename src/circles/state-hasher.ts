import { createHash, type Hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** Bytes between two marks: what rehashing after a change at the very end costs. */
const PART_BYTES = 4 * 2 ** 20
/** Bytes hashed per turn before yielding the event loop: a few milliseconds. */
const TURN_BYTES = 8 * 2 ** 20

interface HashedPart {
  /** Pieces that `hash` has taken. */
  pieces: number
  hash: Hash
}

/**
 * SHA-256 of concatenated pieces, recomputed as they change. Remembers the hash state at intervals,
 * and starts from the last one before the first piece that is a different object than in the last
 * call. Calls must not overlap.
 */
export class StateHasher {
  #last: readonly Uint8Array[] = []
  #parts: readonly HashedPart[] = []

  /** Lowercase hex. */
  async hash(pieces: readonly Uint8Array[]): Promise<string> {
    const same = sameStart(this.#last, pieces)
    const parts = this.#parts.filter((part) => part.pieces <= same)
    const start = parts.at(-1)
    const hash = start ? start.hash.copy() : createHash('sha256')
    let sincePart = 0
    let sinceTurn = 0
    for (let at = start?.pieces ?? 0; at < pieces.length; at++) {
      const piece = pieces[at] ?? new Uint8Array()
      hash.update(piece)
      sincePart += piece.length
      sinceTurn += piece.length
      if (sincePart >= PART_BYTES) {
        parts.push({ pieces: at + 1, hash: hash.copy() })
        sincePart = 0
      }
      if (sinceTurn >= TURN_BYTES) {
        await setImmediate()
        sinceTurn = 0
      }
    }
    this.#last = pieces
    this.#parts = parts
    return hash.digest('hex')
  }
}

function sameStart(a: readonly Uint8Array[], b: readonly Uint8Array[]): number {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1
  return same
}
