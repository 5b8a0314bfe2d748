import { createHash } from 'node:crypto'

export type Json = string | number | null | readonly Json[] | { readonly [key: string]: Json }

/** RFC 8785 for what records are made of: strings, integers, null, arrays and objects. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error(`no integer: ${value}`)
    return String(value)
  }
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  // Sorted as UTF-16, which is what JavaScript compares.
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`).join(',')}}`
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** BIP340: SHA-256 under the twice prefixed hash of the tag. */
export const taggedHash = (tag: string, ...parts: readonly Uint8Array[]): string =>
  sha256(sha256(tag), sha256(tag), ...parts).toString('hex')
