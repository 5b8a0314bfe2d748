/** Words of a 32-byte hash. */
export const HASH_WORDS = 8
/** Hex digits of a word. */
export const WORD_DIGITS = 8
const WORD_BYTES = WORD_DIGITS / 2
export const HASH_DIGITS = HASH_WORDS * WORD_DIGITS

/** Writes the hash that a hex text begins with. */
export function putHash(column: Uint32Array, slot: number, text: string): void {
  for (let word = 0; word < HASH_WORDS; word += 1) {
    let value = 0
    for (let at = word * WORD_DIGITS; at < (word + 1) * WORD_DIGITS; at += 1) {
      value = (value << 4) | (DIGIT_VALUES[text.charCodeAt(at)] ?? 0)
    }
    column[slot * HASH_WORDS + word] = value
  }
}

/** The value of a hex digit by its character code: slicing the text for each word is far slower. */
const DIGIT_VALUES = new Uint8Array(128)
for (let value = 0; value < 16; value += 1) {
  DIGIT_VALUES[value.toString(16).charCodeAt(0)] = value
}

/** The bytes of the hash that is being written. */
const HASH = Buffer.alloc(HASH_WORDS * WORD_BYTES)

export function hashAt(column: Uint32Array, slot: number): string {
  for (let word = 0; word < HASH_WORDS; word += 1)
    HASH.writeUInt32BE(column[slot * HASH_WORDS + word] ?? 0, word * WORD_BYTES)
  return HASH.toString('hex')
}

/** The order of two hashes: that of their hex texts. */
export function compareHashes(
  a: Uint32Array,
  slotA: number,
  b: Uint32Array,
  slotB: number,
): number {
  for (let word = 0; word < HASH_WORDS; word += 1) {
    const difference = (a[slotA * HASH_WORDS + word] ?? 0) - (b[slotB * HASH_WORDS + word] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
