import type { Row } from './terminal.ts'

// JSON for human readers: one line a field, long hex shortened.

/** Txids, order ids, scripts. */
const HEX = /(?<![0-9a-f])[0-9a-f]{24,68}(?![0-9a-f])/g
const ADDRESS = /\bbcrt1[a-z0-9]{30,}/g
/** PSBTs, whole transactions, proofs. */
const ENCODED = /[A-Za-z0-9+/=]{61,}/g
const SHOWN = 24

/** The same text with its hashes, addresses and encoded bytes cut to what distinguishes them. */
export const shortened = (text: string): string =>
  text
    .replace(HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-4)}`)
    .replace(ADDRESS, (address) => `${address.slice(0, 10)}…${address.slice(-4)}`)
    .replace(ENCODED, (bytes) => `${bytes.slice(0, SHOWN)}… (${bytes.length} characters)`)

/** One field of a body or an answer as text; an outpoint as `txid:vout`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return shortened(value)
  if (value === undefined) return '–'
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join('\n')
  const { txid, vout, ...rest } = value as Record<string, unknown>
  if (typeof txid === 'string' && typeof vout === 'number' && Object.keys(rest).length === 0) {
    return shortened(`${txid}:${vout}`)
  }
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(', ')
}

/** A line for each field of a body. */
export const rowsOf = (body: object): Row[] =>
  Object.entries(body).map(([name, value]) => [name, textOf(value)])

/** The value at a dotted path: `inspection.signatureStatus`, `orders.0.id`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
      value,
    )
}

/** The significant fields of an answer, by their dotted paths. */
export const fields =
  (...paths: readonly string[]) =>
  (answer: unknown): Row[] =>
    paths.map((path) => [path, textOf(at(answer, path))])

export const sats = (amount: bigint | number | string): string =>
  `${BigInt(amount).toLocaleString('en')} sats`
