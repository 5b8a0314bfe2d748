import { hash } from 'node:crypto'

const WORD_DIGITS = 8

/**
 * One of the eight words of a text's SHA-256, each four bytes, big-endian. Asked as hex, the hash
 * takes half as long as a buffer of its own.
 */
export const hashWord = (text: string, word: number): number => {
  const start = word * WORD_DIGITS
  return Number.parseInt(hash('sha256', text, 'hex').slice(start, start + WORD_DIGITS), 16)
}
