import type { OrderRecord } from '../schemas/order-record.ts'

/**
 * The market that an order is listed under (spec 4.1, protocol and group): the one that it names, and
 * without one what the index proved of it. What an order was never LIVE with proves nothing.
 */
export function listedMarket({
  protocolId,
  metadataFixed,
  assets,
}: Pick<OrderRecord, 'protocolId' | 'metadataFixed' | 'assets'>): string | undefined {
  const holdsInscription = metadataFixed && assets.length > 0
  return protocolId ?? (holdsInscription ? 'inscriptions' : undefined)
}

/** How a token is compared: without regard to case. */
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

/** Words of a token that are searched: each is an entry of an index, and strangers choose tokens. */
const MOST_WORDS = 8

/** A folded text from each of its first words on: a word begins where no letter or digit is before it. */
export function wordsOf(folded: string): string[] {
  const words: string[] = []
  let before = ''
  let at = 0
  for (const character of folded) {
    if (!/[\p{L}\p{N}]/u.test(before)) words.push(folded.slice(at))
    if (words.length === MOST_WORDS) break
    before = character
    at += character.length
  }
  return words
}

/** Does one of the words of the text, or the text from there on, begin with the folded prefix? */
export const hasWordPrefix = (folded: string, prefix: string): boolean =>
  folded.includes(prefix) && wordsOf(folded).some((word) => word.startsWith(prefix))
