import { base32nopad, hex } from '@scure/base'
import { type Frames, MAX_BYTES, MAX_FRAMES, type Taken } from './frames.ts'

// BBQr: `B$`, encoding, file type, and number of parts and part in base 36; then the data.

const FRAME = /^B\$([H2Z])([A-Z])([0-9A-Z]{2})([0-9A-Z]{2})([0-9A-Z]+)$/
/** Whole bytes of base 32 in each part. */
const GROUP_BYTES = 5
const FILE_TYPE = 'P'

/** Frames of a PSBT in base 32, not compressed: some devices fail at what is. */
export function bbqrFrames(bytes: Uint8Array, maxBytes: number): string[] {
  const most = Math.max(GROUP_BYTES, maxBytes - (maxBytes % GROUP_BYTES))
  // Even parts: the codes are of one size.
  const each = Math.ceil(bytes.length / Math.ceil(bytes.length / most) / GROUP_BYTES) * GROUP_BYTES
  const count = Math.ceil(bytes.length / each)
  if (count > MAX_FRAMES) throw new Error(`The PSBT is too large for ${MAX_FRAMES} frames.`)
  return Array.from({ length: count }, (_, at) => {
    const data = base32nopad.encode(bytes.subarray(at * each, (at + 1) * each))
    return `B$2${FILE_TYPE}${base36(count)}${base36(at)}${data}`
  })
}

const base36 = (value: number): string => value.toString(36).toUpperCase().padStart(2, '0')

/** Collects parts of the file types named; BBQr has no checksum: what comes out is still to be read. */
export function bbqrCollector(types: readonly string[]): Frames {
  let head: string | null = null
  let characters = 0
  const known = new Map<number, string>()
  return {
    take: async (text) => {
      const [, encoding = '', type = '', ofText = '', atText = '', data = ''] =
        FRAME.exec(text) ?? []
      if (!types.includes(type)) return { state: 'refused', reason: 'It holds no PSBT.' }
      const [of, at] = [Number.parseInt(ofText, 36), Number.parseInt(atText, 36)]
      if (of === 0 || at >= of) {
        return { state: 'refused', reason: 'A frame is not as its head says.' }
      }
      const itsHead = `${encoding}${type}${ofText}`
      const isOther = (head ?? itsHead) !== itsHead || (known.get(at) ?? data) !== data
      if (isOther)
        return { state: 'refused', reason: 'A frame is of another message: begin again.' }
      head = itsHead
      if (!known.has(at)) characters += data.length
      if (characters > 2 * MAX_BYTES) return TOO_LARGE
      known.set(at, data)
      if (known.size < of) return { state: 'more', have: known.size, of }
      return unpacked(
        encoding,
        Array.from({ length: of }, (_, part) => known.get(part) ?? ''),
      )
    },
  }
}

const TOO_LARGE: Taken = { state: 'refused', reason: `It is larger than ${MAX_BYTES} bytes.` }

async function unpacked(encoding: string, parts: readonly string[]): Promise<Taken> {
  try {
    const decoded = parts.map((part) =>
      encoding === 'H' ? hex.decode(part.toLowerCase()) : base32nopad.decode(part),
    )
    const bytes = Uint8Array.from(decoded.flatMap((part) => [...part]))
    const whole = encoding === 'Z' ? await inflated(bytes) : bytes
    return whole && whole.length <= MAX_BYTES ? { state: 'done', bytes: whole } : TOO_LARGE
  } catch {
    return { state: 'refused', reason: 'A frame was misread: begin again.' }
  }
}

/** Null: it unpacks to too much, as is noticed while it is unpacked. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))
    .getReader()
  const pieces: number[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (pieces.length + next.value.length > MAX_BYTES) {
      await reader.cancel()
      return null
    }
    for (const byte of next.value) pieces.push(byte)
  }
  return Uint8Array.from(pieces)
}
