/** Limits of a JSON text from outside: a larger one is refused before anything is built from it. */
export const JSON_LIMITS = { depth: 32, values: 10_000 } as const

/** The text is not JSON that all readers parse alike; the message is the exact reason. */
export class JsonRefusedError extends Error {
  override name = 'JsonRefusedError'
}

/** Names that would reach an object's prototype in careless code elsewhere. */
const POISONED = new Set(['__proto__', 'constructor', 'prototype'])

/** No meaningful number is written longer; also bounds the work below. */
const MAX_NUMBER_LENGTH = 64

const NUMBER = /-?[0-9]{1,65}(?:\.[0-9]{1,65})?(?:[eE][+-]?[0-9]{1,65})?/y

/**
 * Parses RFC 8259 JSON, and refuses what readers disagree on (RFC 7493): duplicate names, lone
 * surrogates, a byte order mark, numbers that a double cannot hold exactly, and depth or size that
 * no request justifies. Linear in the text.
 *
 * @throws JsonRefusedError
 */
export function parseJson(text: string): unknown {
  if (text.startsWith('\uFEFF'))
    throw new JsonRefusedError('the JSON starts with a byte order mark')
  if (!text.isWellFormed()) throw new JsonRefusedError('the JSON holds a lone surrogate')
  scan(text)
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonRefusedError('the text is not valid JSON')
  }
}

/** Checks only for what `JSON.parse` lets through; text that is not JSON at all is left to it. */
function scan(text: string): void {
  /** The names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = []
  let expectName = false
  let values = 0

  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      const string = decoded(text.slice(at, end + 1))
      const names = open.at(-1)
      if (expectName && names) takeName(names, string)
      else values += 1
      expectName = false
      at = end
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null)
      expectName = char === '{'
      values += 1
      if (open.length > JSON_LIMITS.depth) {
        throw new JsonRefusedError(`the JSON is nested deeper than ${JSON_LIMITS.depth} levels`)
      }
    } else if (char === '}' || char === ']') {
      open.pop()
      expectName = false
    } else if (char === ',') {
      expectName = open.at(-1) instanceof Set
    } else if (char === '-' || isDigit(char)) {
      at += numberLength(text, at) - 1
      values += 1
    } else if (char === 't' || char === 'f' || char === 'n') {
      values += 1
    }
    if (values > JSON_LIMITS.values) {
      throw new JsonRefusedError(`the JSON holds more than ${JSON_LIMITS.values} values`)
    }
  }
}

const isDigit = (char: string | undefined): boolean =>
  char !== undefined && char >= '0' && char <= '9'

/** The index of the closing quote: one preceded by an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  throw new JsonRefusedError('the text is not valid JSON')
}

function decoded(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  let string: unknown
  try {
    string = JSON.parse(literal)
  } catch {
    throw new JsonRefusedError('the text is not valid JSON')
  }
  if (typeof string !== 'string' || !string.isWellFormed()) {
    throw new JsonRefusedError('the JSON holds a lone surrogate')
  }
  return string
}

function takeName(names: Set<string>, name: string): void {
  if (names.has(name))
    throw new JsonRefusedError(`the name ${quoted(name)} stands twice in one object`)
  if (POISONED.has(name)) throw new JsonRefusedError(`the name ${quoted(name)} is not allowed`)
  names.add(name)
}

const quoted = (name: string): string =>
  JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)

/** The length of the number literal; refuses one that would parse to another number. */
function numberLength(text: string, start: number): number {
  NUMBER.lastIndex = start
  const literal = NUMBER.exec(text)?.[0]
  if (literal === undefined) throw new JsonRefusedError('the text is not valid JSON')
  if (!isExact(literal))
    throw new JsonRefusedError('the JSON holds a number that cannot be kept exactly')
  return literal.length
}

function isExact(literal: string): boolean {
  if (literal.length > MAX_NUMBER_LENGTH) return false
  const value = Number(literal)
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(value)
  const digits = significantDigits(literal)
  const underflow = value === 0 && digits > 0
  return Number.isFinite(value) && !underflow && digits <= 15
}

/** A decimal of up to 15 significant digits round-trips through a double (IEEE 754). */
const significantDigits = (literal: string): number =>
  literal
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '').length
