/** A protocol message in an output: its opcode and the bytes that follow. */
export interface Marker {
  opcode: number
  body: Uint8Array
}

const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d
const VERSION = 0x01

/** The contiguous bytes that every marker contains. */
export const markerStart = (magic: Uint8Array): Buffer => Buffer.concat([magic, Buffer.of(VERSION)])

/**
 * Reads an output script as a marker, or null: OP_RETURN and one push up to the very end, whose
 * data begins with magic, version and opcode. The push need not be minimal.
 */
export function readMarker(script: Uint8Array, magic: Uint8Array): Marker | null {
  if (script[0] !== OP_RETURN) return null
  const data = solePush(script)
  const opcode = data?.[magic.length + 1]
  if (!data || opcode === undefined || data[magic.length] !== VERSION) return null
  if (magic.some((byte, index) => data[index] !== byte)) return null
  return { opcode, body: data.subarray(magic.length + 2) }
}

/**
 * The data of the push after the first byte; null if it is not a push or does not end the script.
 */
function solePush(script: Uint8Array): Uint8Array | null {
  const [, push = 0, low = 0, high = 0] = script
  const header = push < OP_PUSHDATA1 ? 2 : push === OP_PUSHDATA1 ? 3 : 4
  if (push === 0 || push > OP_PUSHDATA2) return null
  const length = header === 2 ? push : header === 3 ? low : low + high * 256
  return script.length === header + length ? script.subarray(header) : null
}
