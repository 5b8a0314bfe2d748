import { ByteReader } from './byte-reader.ts'

/**
 * Inputs, outputs and witness items of a transaction, each an object to a parser; stops counting at
 * `enough`. Throws RangeError when the bytes are cut short.
 */
export function partsOfTransaction(bytes: Uint8Array, enough: number): number {
  const reader = new ByteReader(bytes)
  reader.take(4)
  const hasWitnesses = bytes[4] === 0 && bytes[5] === 1
  if (hasWitnesses) reader.take(2)
  let parts = 0
  const repeat = (count: number, read: () => void): void => {
    for (let at = 0; at < count && parts <= enough; at += 1) {
      parts += 1
      read()
    }
  }
  const inputs = reader.compactSize()
  repeat(inputs, () => {
    reader.take(36)
    reader.slice()
    reader.take(4)
  })
  repeat(reader.compactSize(), () => {
    reader.take(8)
    reader.slice()
  })
  if (hasWitnesses) {
    repeat(inputs, () => repeat(reader.compactSize(), () => reader.slice()))
  }
  return parts
}
