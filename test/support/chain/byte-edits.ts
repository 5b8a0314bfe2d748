import fc from 'fast-check'

export interface ByteEdit {
  kind: 'set' | 'flip' | 'cut' | 'insert' | 'double'
  /** Wraps around at the end. */
  at: number
  length: number
  byte: number
}

const edit: fc.Arbitrary<ByteEdit> = fc.record({
  kind: fc.constantFrom('set', 'flip', 'cut', 'insert', 'double'),
  at: fc.nat({ max: 4_000 }),
  length: fc.integer({ min: 1, max: 40 }),
  byte: fc.oneof(fc.constantFrom(0, 1, 0xfc, 0xfd, 0xfe, 0xff), fc.nat({ max: 255 })),
})

/** Bytes set, flipped, cut out, put in or doubled: one to four times. */
export const byteEdits: fc.Arbitrary<ByteEdit[]> = fc.array(edit, { minLength: 1, maxLength: 4 })

/** One of these valid byte strings after edits. */
export const almost = (good: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.constantFrom(...good), byteEdits)
    .map(([bytes, edits]) => edits.reduce(applied, bytes))

function applied(bytes: Uint8Array, { kind, at, length, byte }: ByteEdit): Uint8Array {
  if (bytes.length === 0) return bytes
  const from = at % bytes.length
  const [head, body, tail] = [
    bytes.slice(0, from),
    bytes.slice(from, from + length),
    bytes.slice(from + length),
  ]
  switch (kind) {
    case 'set':
      return bytes.with(from, byte)
    case 'flip':
      return bytes.with(from, (bytes[from] ?? 0) ^ (1 << (byte % 8)))
    case 'cut':
      return Uint8Array.of(...head, ...tail)
    case 'insert':
      return Uint8Array.of(...head, ...new Uint8Array(length).fill(byte), ...body, ...tail)
    case 'double':
      return Uint8Array.of(...head, ...body, ...body, ...tail)
  }
}
