/** What an output says to the protocol: its opcode and what follows it. */
export interface Marker {
  opcode: number
  body: Uint8Array
}

const OP_RETURN = 0x6a
const OP_PUSHDATA1 = 0x4c
const OP_PUSHDATA2 = 0x4d
const VERSION = 0x01

/**
 * The marker that an output script is, or null: OP_RETURN and one push to the very end, whose data
 * begins with magic, version and opcode. A push need not be minimal.
 */
export function readMarker(script: Uint8Array, magic: Uint8Array): Marker | null {
  if (script[0] !== OP_RETURN) return null
  const data = solePush(script)
  const opcode = data?.[magic.length + 1]
  if (!data || opcode === undefined || data[magic.length] !== VERSION) return null
  if (magic.some((byte, index) => data[index] !== byte)) return null
  return { opcode, body: data.subarray(magic.length + 2) }
}

/** The data of the push behind the first byte; null when it is none, or does not end the script. */
function solePush(script: Uint8Array): Uint8Array | null {
  const [, push = 0, low = 0, high = 0] = script
  const header = push < OP_PUSHDATA1 ? 2 : push === OP_PUSHDATA1 ? 3 : 4
  if (push === 0 || push > OP_PUSHDATA2) return null
  const length = header === 2 ? push : header === 3 ? low : low + high * 256
  return script.length === header + length ? script.subarray(header) : null
}
