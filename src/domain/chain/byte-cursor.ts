export const HEADER_BYTES = 80
export const OUTPOINT_BYTES = 36
export const SEQUENCE_BYTES = 4
export const VALUE_BYTES = 8
/** The size of a transaction with one input and one output, both with empty scripts. */
export const LEAST_TRANSACTION_BYTES = 60

/** A read position in serialised bytes. */
export class ByteCursor {
  readonly raw: Buffer
  at: number

  constructor(raw: Buffer, at: number) {
    this.raw = raw
    this.at = at
  }

  skip(bytes: number): void {
    this.at += bytes
    if (this.at > this.raw.length) throw new RangeError('the bytes are cut short')
  }

  /** A count of items of at least `bytes` bytes each: never more than the input can hold. */
  count(bytes: number): number {
    const count = this.compactSize()
    if (count * bytes > this.raw.length) throw new RangeError('the bytes are cut short')
    return count
  }

  expectEnd(): void {
    if (this.at !== this.raw.length) throw new RangeError('bytes after the last transaction')
  }

  /** Throws RangeError on one of 64 bits: nothing in a block is that long. */
  compactSize(): number {
    const first = this.raw.readUInt8(this.at)
    const width = first < 0xfd ? 0 : first === 0xfd ? 2 : 4
    if (first === 0xff) throw new RangeError('a size of 64 bits')
    const value = width === 0 ? first : this.raw.readUIntLE(this.at + 1, width)
    this.skip(1 + width)
    return value
  }
}
