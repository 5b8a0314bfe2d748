import { parseOutpoint } from '../domain/outpoint.ts'

/**
 * Keys by which records are kept: text that sorts, character by character, in the canonical order of
 * its section. A lineage's is its id.
 */

/** Digits of the largest index of an output. */
const VOUT_DIGITS = 10
/** Digits of the largest safe integer. */
const INTEGER_DIGITS = 16

/** By txid as it is displayed, then by index as a number. */
export function shardKey(outpoint: string): string {
  const { txid, vout } = parseOutpoint(outpoint)
  return `${txid}${digits(vout, VOUT_DIGITS)}`
}

/** By height, then by place in the block. */
export const circleKey = (height: number, transactionIndex: number): string =>
  `${digits(height, INTEGER_DIGITS)}${digits(transactionIndex, INTEGER_DIGITS)}`

/** By the circle that it leads to, then by the shard that it goes through. */
export const edgeKey = (toCircleKey: string, viaOutpoint: string): string =>
  `${toCircleKey}${shardKey(viaOutpoint)}`

const digits = (value: number, width: number): string => String(value).padStart(width, '0')
