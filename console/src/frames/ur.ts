import { bigEndian, bytesOfWords, bytewordsOf, crc32 } from './bytewords.ts'
import { fragmentsOf } from './fountain.ts'
import { type Frames, MAX_BYTES, MAX_FRAMES } from './frames.ts'

// BCR-2020-005 and BCR-2024-001: `ur:crypto-psbt/…`, alone or in parts.

const FRAME = /^ur:([a-z-]+)(?:\/([1-9][0-9]{0,9})-([1-9][0-9]{0,4}))?\/([a-z]+)$/
/** Of CBOR: the first byte's upper three bits, and the length that follows. */
const BYTES = 0x40
const ARRAY_OF_FIVE = 0x85

/** The frames of bytes as one CBOR byte string: the parts that need no other. */
export function urFrames(bytes: Uint8Array, maxBytes: number, type = 'crypto-psbt'): string[] {
  const message = Uint8Array.of(...header(BYTES, bytes.length), ...bytes)
  const count = Math.ceil(message.length / maxBytes)
  if (count === 1) return [`ur:${type}/${bytewordsOf(message)}`]
  const length = Math.ceil(message.length / count)
  const checksum = crc32(message)
  return Array.from({ length: count }, (_, at) => {
    const fragment = new Uint8Array(length)
    fragment.set(message.subarray(at * length, (at + 1) * length))
    const part = Uint8Array.of(
      ARRAY_OF_FIVE,
      ...header(0, at + 1),
      ...header(0, count),
      ...header(0, message.length),
      ...header(0, checksum),
      ...header(BYTES, length),
      ...fragment,
    )
    return `ur:${type}/${at + 1}-${count}/${bytewordsOf(part)}`
  })
}

function header(major: number, value: number): number[] {
  if (value < 24) return [major | value]
  if (value < 0x100) return [major | 24, value]
  if (value < 0x10000) return [major | 25, value >> 8, value & 0xff]
  return [major | 26, ...bigEndian(value)]
}

interface Part {
  count: number
  length: number
  checksum: number
  indexes: Set<number>
  fragment: Uint8Array
}

/** Collects parts, mixed ones too, in any order. */
export function urCollector(types: readonly string[]): Frames {
  let first: Part | null = null
  const known = new Map<number, Uint8Array>()
  let mixed: Part[] = []
  const state = () => ({ state: 'more' as const, have: known.size, of: first?.count ?? 1 })

  const learn = (part: Part): void => {
    const waiting = [part]
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { indexes } = without(next, known)
      const [index] = indexes
      if (index === undefined) continue
      if (indexes.size > 1) {
        if (mixed.length < 2 * next.count) mixed.push(next)
        continue
      }
      known.set(index, next.fragment)
      const touched = mixed.filter((one) => one.indexes.has(index))
      mixed = mixed.filter((one) => !one.indexes.has(index))
      waiting.push(...touched)
    }
  }

  return {
    take: async (text) => {
      const [, type = '', number, count, words = ''] = FRAME.exec(text.toLowerCase()) ?? []
      if (!types.includes(type)) return { state: 'refused', reason: 'It holds no PSBT.' }
      const bytes = bytesOfWords(words)
      if (!bytes) return { state: 'refused', reason: 'A frame was misread: hold it still.' }
      if (number === undefined) return whole(bytes)
      const part = partOf(bytes, Number(number), Number(count))
      if (!part) return { state: 'refused', reason: 'A frame is not as its head says.' }
      if (first && !isOfSame(first, part)) {
        return { state: 'refused', reason: 'A frame is of another message: begin again.' }
      }
      first ??= part
      learn(part)
      if (known.size < part.count) return state()
      const message = joined(known, part)
      return crc32(message) === part.checksum
        ? whole(message)
        : { state: 'refused', reason: 'The frames do not fit together: begin again.' }
    },
  }
}

/** Takes what is known out of a mix. */
function without(part: Part, known: ReadonlyMap<number, Uint8Array>): Part {
  for (const index of part.indexes) {
    const fragment = known.get(index)
    if (!fragment) continue
    part.indexes.delete(index)
    part.fragment = part.fragment.map((byte, at) => byte ^ (fragment[at] ?? 0))
  }
  return part
}

const isOfSame = (one: Part, other: Part): boolean =>
  one.count === other.count &&
  one.length === other.length &&
  one.checksum === other.checksum &&
  one.fragment.length === other.fragment.length

function joined(known: ReadonlyMap<number, Uint8Array>, { count, length }: Part): Uint8Array {
  const fragments = Array.from({ length: count }, (_, at) => known.get(at) ?? new Uint8Array())
  return Uint8Array.from(fragments.flatMap((fragment) => [...fragment])).slice(0, length)
}

function whole(message: Uint8Array): Awaited<ReturnType<Frames['take']>> {
  const read = bytesAt(message, 0)
  return read && read.end === message.length
    ? { state: 'done', bytes: read.bytes }
    : { state: 'refused', reason: 'It holds no PSBT.' }
}

function partOf(bytes: Uint8Array, number: number, count: number): Part | null {
  if (bytes[0] !== ARRAY_OF_FIVE || count > MAX_FRAMES) return null
  const numbers: number[] = []
  let at = 1
  for (let n = 0; n < 4; n += 1) {
    const read = headAt(bytes, at)
    if (read?.major !== 0) return null
    numbers.push(read.value)
    at = read.end
  }
  const [itsNumber, itsCount, length = 0, checksum = 0] = numbers
  const fragment = bytesAt(bytes, at)
  if (!fragment || fragment.end !== bytes.length || length > MAX_BYTES) return null
  if (itsNumber !== number || itsCount !== count) return null
  // As the encoder cuts it: no fragment is empty, and all together are as long as the message.
  if (fragment.bytes.length !== Math.ceil(length / count)) return null
  const indexes = new Set(fragmentsOf(number, count, checksum))
  return { count, length, checksum, indexes, fragment: fragment.bytes }
}

function headAt(bytes: Uint8Array, at: number) {
  const [first = 0xff] = bytes.subarray(at)
  const [major, small] = [first & 0xe0, first & 0x1f]
  const more = small < 24 ? 0 : small <= 26 ? 2 ** (small - 24) : -1
  if (more < 0 || at + 1 + more > bytes.length) return null
  const value =
    more === 0 ? small : bytes.subarray(at + 1, at + 1 + more).reduce((sum, b) => sum * 256 + b, 0)
  return { major, value, end: at + 1 + more }
}

function bytesAt(bytes: Uint8Array, at: number) {
  const head = headAt(bytes, at)
  if (head?.major !== BYTES || head.end + head.value > bytes.length) return null
  const end = head.end + head.value
  return { bytes: bytes.slice(head.end, end), end }
}
