import { groupedSats } from '../ui/values/amounts.ts'

/** Content longer than this is no name and no transfer. */
const MAX_TEXT = 512
const NAME = /^[^\s.]{1,64}\.[^\s.]{1,16}$/u
const BITMAP = /^[0-9]{1,9}\.bitmap$/
const AMOUNT = /^[0-9]{1,20}(?:\.[0-9]{1,18})?$/

/** What a text says that it is. */
export interface Said {
  words: string
  /** The market of such things. */
  market: 'brc20' | 'names' | 'bitmap'
  /** What orders of its kind are searched by. */
  token: string
}

/** A name or a BRC-20 transfer in words; null: the text is neither. */
export const inWords = (text: string): string | null => saidIn(text)?.words ?? null

/**
 * A name or a BRC-20 transfer as its text says it; null: it is neither. What it says is not proved to
 * be valid: that is what the market's scope is about.
 */
export function saidIn(text: string): Said | null {
  const trimmed = text.trim()
  if (trimmed.length === 0 || trimmed.length > MAX_TEXT) return null
  if (!trimmed.startsWith('{')) return NAME.test(trimmed) ? nameIn(trimmed) : null
  const said = fieldsOf(trimmed)
  if (said['p'] === 'sns' && said['op'] === 'reg') {
    const name = textIn(said['name'], NAME)
    return name === null ? null : nameIn(name)
  }
  if (said['p'] !== 'brc-20' || said['op'] !== 'transfer') return null
  const tick = textIn(said['tick'], /^\S{1,8}$/u)
  const amount = textIn(said['amt'], AMOUNT)
  if (tick === null || amount === null) return null
  return { words: `${tick} ${groupedAmount(amount)}`, market: 'brc20', token: tick }
}

const nameIn = (name: string): Said => ({
  words: name,
  market: BITMAP.test(name) ? 'bitmap' : 'names',
  token: name.slice(name.indexOf('.') + 1),
})

function fieldsOf(json: string): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(json)
    return typeof said === 'object' && said !== null ? { ...said } : {}
  } catch {
    return {}
  }
}

const textIn = (field: unknown, pattern: RegExp): string | null =>
  typeof field === 'string' && pattern.test(field) ? field : null

const groupedAmount = (amount: string): string => {
  const [whole = '', ...parts] = amount.split('.')
  return [groupedSats(whole), ...parts].join('.')
}
