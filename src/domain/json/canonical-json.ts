import canonicalize from 'canonicalize'

/**
 * The RFC 8785 form of a JSON value: keys sorted, no space. Every change is hashed in it, so a
 * value that the engine writes identically once its keys are sorted uses the engine, which is twice
 * as fast; any other uses the library. Throws if a value has no such form.
 */
export function canonicalJson(value: unknown): string {
  const quick = isUsual(value) ? JSON.stringify(sorted(value)) : undefined
  const text = quick?.includes(LONE_SURROGATE) === false ? quick : canonicalize(value)
  if (text === undefined) throw new Error(`a ${typeof value} has no canonical form`)
  return text
}

/**
 * A lone surrogate: the engine escapes it, RFC 8785 refuses it. An escaped backslash before `ud`
 * only looks like one.
 */
const LONE_SURROGATE = '\\ud'
/** Keys from here on are not array indices, which an object lists first. */
const AFTER_DIGITS = ':'

function isUsual(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (Array.isArray(value)) return value.every(isUsual)
  if (typeof value !== 'object' || 'toJSON' in value) return false
  for (const key in value) {
    const held = (value as Record<string, unknown>)[key]
    if (key < AFTER_DIGITS || key === '__proto__') return false
    if (held !== undefined && !isUsual(held)) return false
  }
  return true
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort())
    result[key] = sorted((value as Record<string, unknown>)[key])
  return result
}
