import type { Offer } from '../../schemas/order-record.ts'
import { hashWord } from './hash-word.ts'

/**
 * Most names in one watermark, 87 KB of text: two full blocks of unknown transactions exceed it.
 */
export const MAX_TOUCHED = 16_384
const NAME_BYTES = 4

/**
 * The outputs that were spent, given back, made or lost since the last watermark: 4 bytes of the
 * hash of each outpoint or txid, in base64; `all` if there are too many to name. Two outputs may
 * share a name: an order that is named without need is only verified once more.
 */
export type Touched = string

/** The name of an outpoint, or of a transaction for all outputs that it makes. */
export const touchedName = (text: string): number => hashWord(text, 1)

/** Each name once, in ascending order. */
export function packTouched(names: Iterable<number>): Touched {
  const sorted = Uint32Array.from(new Set(names)).sort()
  if (sorted.length > MAX_TOUCHED) return 'all'
  const bytes = Buffer.alloc(sorted.length * NAME_BYTES)
  for (const [at, name] of sorted.entries()) bytes.writeUInt32BE(name, at * NAME_BYTES)
  return bytes.toString('base64')
}

export function readTouched(touched: Touched): Set<number> | 'all' {
  if (touched === 'all') return 'all'
  const bytes = Buffer.from(touched, 'base64')
  const names = new Set<number>()
  for (let at = 0; at + NAME_BYTES <= bytes.length; at += NAME_BYTES)
    names.add(bytes.readUInt32BE(at))
  return names
}

export function mergeTouched(one: Touched, other: Touched): Touched {
  if (one === '' || other === '') return one + other
  const [a, b] = [readTouched(one), readTouched(other)]
  return a === 'all' || b === 'all' ? 'all' : packTouched([...a, ...b])
}

/** The names that concern a bid's funding: its outputs, and the transactions that make them. */
export const fundingNames = ({ funding }: Pick<Offer, 'funding'>): number[] =>
  [
    ...new Set(funding.flatMap((outpoint) => [outpoint, outpoint.slice(0, outpoint.indexOf(':'))])),
  ].map(touchedName)
