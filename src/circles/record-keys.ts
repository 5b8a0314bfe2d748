import { parseOutpoint } from '../domain/chain/outpoint.ts'
import type { OutpointText } from '../schemas/scalars.ts'

/**
 * Keys under which records are stored: text that sorts, character by character, in the canonical
 * order of its section. A lineage's key is its id.
 */

/** Digits of the largest output index. */
const VOUT_DIGITS = 10
/** Digits of the largest safe integer. */
const INTEGER_DIGITS = 16

/** By txid in display order, then by index as a number. */
export function shardKey(outpoint: OutpointText): string {
  const { txid, vout } = parseOutpoint(outpoint)
  return `${txid}${digits(vout, VOUT_DIGITS)}`
}

/** By height, then by position in the block. */
export const circleKey = (height: number, transactionIndex: number): string =>
  `${digits(height, INTEGER_DIGITS)}${digits(transactionIndex, INTEGER_DIGITS)}`

/** By the circle it leads to, then by the shard it goes through. */
export const edgeKey = (toCircleKey: string, viaOutpoint: OutpointText): string =>
  `${toCircleKey}${shardKey(viaOutpoint)}`

const digits = (value: number, width: number): string => String(value).padStart(width, '0')
