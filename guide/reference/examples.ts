/** A longer example is shortened, its lists first: a page must stay quick on a phone. */
const MAX_CHARACTERS = 3_000
const MAX_STRING = 100
const MAX_LINE = 80

/** An example as it is shown, and whether anything of it is left out. */
export interface ShownExample {
  text: string
  isShortened: boolean
}

export function shownExample(example: unknown): ShownExample {
  const text = json(example, '')
  if (text.length <= MAX_CHARACTERS) return { text, isShortened: false }
  return { text: json(shortened(example), ''), isShortened: true }
}

/** Of each list the first item, of each long text the beginning. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value
  if (Array.isArray(value)) {
    const [first, ...others] = value
    if (others.length === 0) return value.map(shortened)
    return [shortened(first), `… ${others.length} more`]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]))
}

/** JSON with an object or a list on one line where it is short. */
function json(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => json(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${json(one, inner)}`)
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  if (parts.length === 0) return `${open}${close}`
  const line = parts.join(', ')
  if (indent.length + line.length <= MAX_LINE && !line.includes('\n'))
    return `${open}${space}${line}${space}${close}`
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
