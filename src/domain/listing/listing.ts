import type { OrderRecord } from '../../schemas/order-record.ts'

/**
 * The market that an order is listed under (gateway spec 4.1, protocol and group): the one it
 * names, or else the one that follows from what the index proved. Proofs of an order that was never
 * LIVE do not count.
 */
export function listedMarket({
  protocolId,
  metadataFixed,
  assets,
}: Pick<OrderRecord, 'protocolId' | 'metadataFixed' | 'assets'>): string | undefined {
  const holdsInscription = metadataFixed && assets.length > 0
  return protocolId ?? (holdsInscription ? 'inscriptions' : undefined)
}

/** The form in which tokens are compared: case is ignored. */
export const foldText = (text: string): string => text.toLowerCase()

/**
 * Order of texts by code point, which is also the order of their UTF-8 bytes: the same in every
 * store, unlike JavaScript's order by UTF-16 unit, where characters above U+FFFF come too early.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

/** Searchable words per token: each is an index entry, and clients choose tokens freely. */
const MAX_WORDS = 8

/**
 * The suffixes of a folded text from each of its first words: a word begins where no letter or
 * digit precedes.
 */
export function wordsOf(folded: string): string[] {
  const words: string[] = []
  let before = ''
  let at = 0
  for (const character of folded) {
    if (!/[\p{L}\p{N}]/u.test(before)) words.push(folded.slice(at))
    if (words.length === MAX_WORDS) break
    before = character
    at += character.length
  }
  return words
}

/** Does any suffix of the text that starts at a word begin with the folded prefix? */
export const hasWordPrefix = (folded: string, prefix: string): boolean =>
  folded.includes(prefix) && wordsOf(folded).some((word) => word.startsWith(prefix))
