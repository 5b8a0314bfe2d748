/** Core MAX_SIZE: a compact size beyond it, also of a type, is refused. */
const MAX_SIZE = 0x02000000

/**
 * Reads a serialisation from start to end, and accepts only the canonical encoding: an overlong
 * compact size is refused (Core `ReadCompactSize`).
 */
export class ByteReader {
  readonly bytes: Uint8Array
  readonly view: DataView
  position = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.position === this.bytes.length
  }

  /** Throws RangeError when fewer are left. */
  take(count: number): Uint8Array {
    const end = this.position + count
    if (end > this.bytes.length) throw new RangeError('the bytes end too early')
    const taken = this.bytes.subarray(this.position, end)
    this.position = end
    return taken
  }

  compactSize(): number {
    const start = this.position
    const first = this.take(1)[0] ?? 0
    if (first < 0xfd) return first
    const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 8
    this.take(width)
    const value = this.number(start + 1, width)
    const least = width === 2 ? 0xfd : width === 4 ? 0x10000 : 0x100000000
    if (value < least) throw new RangeError('a length is not written in its shortest form')
    if (value > MAX_SIZE) throw new RangeError('a size is larger than nodes read')
    return value
  }

  /** As many bytes as the compact size before them says. */
  slice(): Uint8Array {
    return this.take(this.compactSize())
  }

  private number(at: number, width: 2 | 4 | 8): number {
    if (width === 2) return this.view.getUint16(at, true)
    if (width === 4) return this.view.getUint32(at, true)
    return Number(this.view.getBigUint64(at, true))
  }
}

/** The shortest compact size of a length below 2^32. */
export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  const bytes = Buffer.alloc(value <= 0xffff ? 3 : 5)
  bytes[0] = value <= 0xffff ? 0xfd : 0xfe
  bytes.writeUIntLE(value, 1, bytes.length - 1)
  return bytes
}
