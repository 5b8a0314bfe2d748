import type { RuneBalance } from '../../schemas/evidence.ts'
import type { Notice } from '../../schemas/order.ts'

/** Most runes named; an output may hold any number of them. */
const MAX_NAMED = 8

/** `<amount> <name>` of each rune, in the index's own decimals; those beyond are counted. */
export function runesHeld(runes: readonly RuneBalance[]): string[] {
  const named = runes.slice(0, MAX_NAMED).map(({ name, amount }) => `${amount} ${name}`)
  const more = runes.length - named.length
  return more > 0 ? [...named, `and ${more} more`] : named
}

/** Which runes a buyer gets with the offered output; unknown if the index does not follow runes. */
export function runesNotices(
  runes: readonly RuneBalance[] | null | undefined,
  sellsRunes: boolean,
): Notice[] {
  if (!runes) return []
  if (runes.length > 0) {
    const message = `The offered output holds runes: ${runesHeld(runes).join(', ')}.`
    return [{ code: 'HOLDS_RUNES', message }]
  }
  if (!sellsRunes) return []
  return [{ code: 'HOLDS_NO_RUNES', message: 'The offered output holds no runes at all.' }]
}
