import type { Marker } from './marker.ts'

export const CREATE = 0x01
export const MOVE = 0x02
export const PAIR = 0x03
export const UNPAIR = 0x04

/** Moves the object of an input to an output. */
export interface Move {
  input: number
  vout: number
}

/** The effect that a marker requests. */
export type Effect =
  | { kind: 'create'; vout: number; contentHash: Uint8Array; label: string }
  | { kind: 'move' | 'pair' | 'unpair'; moves: readonly Move[] }

const HASH_BYTES = 32
const MAX_MOVES = 16
const LABEL = /^[A-Za-z0-9._-]{0,32}$/

export const isKnownOpcode = (opcode: number): boolean => opcode in READERS

/** The effect that the body of a known opcode requests; null when it is malformed. */
export const readEffect = ({ opcode, body }: Marker): Effect | null =>
  READERS[opcode]?.(Buffer.from(body.buffer, body.byteOffset, body.length)) ?? null

export const movesOf = (effect: Effect): readonly Move[] =>
  effect.kind === 'create' ? [] : effect.moves

export const voutsOf = (effect: Effect): readonly number[] =>
  effect.kind === 'create' ? [effect.vout] : effect.moves.map(({ vout }) => vout)

const READERS: Record<number, (body: Buffer) => Effect | null> = {
  [CREATE]: readCreate,
  [MOVE]: readMove,
  [PAIR]: readPair,
  [UNPAIR]: readUnpair,
}

/** vout, contentHash, label length, label. */
function readCreate(body: Buffer): Effect | null {
  const [vout] = body
  const labelLength = body[1 + HASH_BYTES]
  if (vout === undefined || labelLength === undefined) return null
  if (body.length !== 2 + HASH_BYTES + labelLength) return null
  const label = body.toString('latin1', 2 + HASH_BYTES)
  if (!LABEL.test(label)) return null
  return { kind: 'create', vout, contentHash: body.subarray(1, 1 + HASH_BYTES), label }
}

/** count, then count times (input, vout). */
function readMove(body: Buffer): Effect | null {
  const count = body[0] ?? 0
  if (count < 1 || count > MAX_MOVES || body.length !== 1 + count * 2) return null
  const moves = Array.from({ length: count }, (_, index) => ({
    input: body.readUInt8(1 + index * 2),
    vout: body.readUInt8(2 + index * 2),
  }))
  return { kind: 'move', moves }
}

/** inputA, inputB, voutA, voutB. */
function readPair(body: Buffer): Effect | null {
  if (body.length !== 4) return null
  const [inputA = 0, inputB = 0, voutA = 0, voutB = 0] = body
  const moves = [
    { input: inputA, vout: voutA },
    { input: inputB, vout: voutB },
  ]
  return { kind: 'pair', moves }
}

/** input, vout. */
function readUnpair(body: Buffer): Effect | null {
  if (body.length !== 2) return null
  const [input = 0, vout = 0] = body
  return { kind: 'unpair', moves: [{ input, vout }] }
}
