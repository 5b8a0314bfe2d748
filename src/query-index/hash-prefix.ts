import { HASH_WORDS, WORD_DIGITS } from './hashes.ts'

/** The leading digits of a hash, as words. */
export interface HashPrefix {
  words: readonly number[]
  /** The digits of the next word, if partly given: that word shifted right by `shift`. */
  rest: number
  shift: number
}

/** The prefix of up to 64 hex digits in lower case. */
export function hashPrefix(digits: string): HashPrefix {
  const whole = Math.floor(digits.length / WORD_DIGITS)
  const rest = digits.slice(whole * WORD_DIGITS)
  return {
    words: Array.from({ length: whole }, (_, word) =>
      Number.parseInt(digits.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16),
    ),
    rest: rest === '' ? 0 : Number.parseInt(rest, 16),
    shift: 32 - rest.length * 4,
  }
}

/**
 * Negative: the hash of a slot is below all hashes with this prefix; 0: the hash has the prefix.
 */
export function comparePrefix(
  column: Uint32Array,
  slot: number,
  { words, rest, shift }: HashPrefix,
): number {
  const start = slot * HASH_WORDS
  for (let word = 0; word < words.length; word += 1) {
    const difference = (column[start + word] ?? 0) - (words[word] ?? 0)
    if (difference !== 0) return difference
  }
  return shift === 32 ? 0 : ((column[start + words.length] ?? 0) >>> shift) - rest
}
