/** A shorter name is near too many others. */
const FEWEST_LETTERS = 4

/**
 * The known names that a name was probably meant to be: the same but for case, `_` and `-`, or else
 * those at one edit (a character more, less or other, or two exchanged). None for a known name.
 */
export function namesNear(name: string, known: readonly string[]): string[] {
  if (known.includes(name)) return []
  const folded = foldName(name)
  if (folded.length < FEWEST_LETTERS) return []
  const same = known.filter((one) => foldName(one) === folded)
  return same.length > 0 ? same : known.filter((one) => isOneEdit(foldName(one), folded))
}

const foldName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Whether one edit makes one text of the other; both differ. */
function isOneEdit(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  if (long.length > short.length + 1) return false
  let at = 0
  while (at < short.length && long[at] === short[at]) at += 1
  const rest = short.slice(at)
  if (long.slice(at + 1) === rest) return true
  if (long.length > short.length) return false
  const isExchanged = long[at] === short[at + 1] && long[at + 1] === short[at]
  return (
    long.slice(at + 1) === rest.slice(1) || (isExchanged && long.slice(at + 2) === rest.slice(2))
  )
}
