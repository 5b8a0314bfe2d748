/**
 * The contents of a marker's output: the byte after the version, and everything after that byte.
 */
export interface Marker {
  opcode: number
  body: Uint8Array
}

/** A body with the form of its opcode, and nothing more. */
export interface Instruction {
  /** In the order of the body; `inputs[n]` goes to `vouts[n]`. CREATE names no input. */
  inputs: number[]
  vouts: number[]
  /** CREATE: 64 hex digits, as the bytes in the body. */
  contentHash: string
  /** CREATE: "" when its length is 0. */
  label: string
}

export const CREATE = 1
export const MOVE = 2
export const PAIR = 3
export const UNPAIR = 4

const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d
const VERSION = 1
const MAX_MOVED = 16
const LONGEST_LABEL = 32

/** Null when the output is not a marker. */
export function readMarker(script: Uint8Array, magic: Uint8Array): Marker | null {
  const data = onlyPush(script)
  if (data === null || data.length < magic.length + 2) return null
  if (magic.some((byte, at) => data[at] !== byte)) return null
  const rest = data.slice(magic.length)
  return rest[0] === VERSION ? { opcode: rest[1]!, body: rest.slice(2) } : null
}

/** The data of OP_RETURN and one push that ends the script; null for any other script. */
function onlyPush(script: Uint8Array): Uint8Array | null {
  if (script[0] !== OP_RETURN || script.length < 2) return null
  const code = script[1]!
  let data: Uint8Array
  let length: number
  if (code < OP_PUSHDATA1) {
    length = code
    data = script.slice(2)
  } else if (code === OP_PUSHDATA1 && script.length >= 3) {
    length = script[2]!
    data = script.slice(3)
  } else if (code === OP_PUSHDATA2 && script.length >= 4) {
    length = script[2]! + 256 * script[3]!
    data = script.slice(4)
  } else return null
  return data.length === length ? data : null
}

/** Null when the body does not have the form of its opcode; of opcodes 1 to 4. */
export function readInstruction({ opcode, body }: Marker): Instruction | null {
  const none = { contentHash: '', label: '' }
  if (opcode === CREATE) return readCreate(body)
  if (opcode === MOVE) {
    const count = body[0]
    if (count === undefined || count < 1 || count > MAX_MOVED) return null
    if (body.length !== 1 + 2 * count) return null
    const entries = Array.from({ length: count }, (_, n) => 1 + 2 * n)
    return {
      inputs: entries.map((at) => body[at]!),
      vouts: entries.map((at) => body[at + 1]!),
      ...none,
    }
  }
  if (opcode === PAIR) {
    if (body.length !== 4) return null
    return { inputs: [body[0]!, body[1]!], vouts: [body[2]!, body[3]!], ...none }
  }
  if (body.length !== 2) return null
  return { inputs: [body[0]!], vouts: [body[1]!], ...none }
}

function readCreate(body: Uint8Array): Instruction | null {
  const length = body[33]
  if (length === undefined || length > LONGEST_LABEL || body.length !== 34 + length) return null
  const label = Buffer.from(body.slice(34)).toString('latin1')
  if (!/^[A-Za-z0-9._-]*$/.test(label) || label.length !== length) return null
  return {
    inputs: [],
    vouts: [body[0]!],
    contentHash: Buffer.from(body.slice(1, 33)).toString('hex'),
    label,
  }
}
