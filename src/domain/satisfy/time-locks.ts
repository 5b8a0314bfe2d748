import type { Machine } from './run.ts'
import { numberOf } from './script-value.ts'

const LOCK_BYTES = 5
/** A lock time below is a height, else seconds (BIP65). */
const LOCKTIME_THRESHOLD = 500_000_000
const FINAL_SEQUENCE = 0xffffffff
/** BIP112: the lock is off; its unit is 512 seconds; what it counts. */
const DISABLED = 0x80000000
const SECONDS = 0x00400000
const COUNT = 0x0000ffff

/**
 * Does the transaction wait at least as long as the script wants (BIP65, BIP112)? Whether the chain
 * has come so far is `notFinalUntil`'s answer.
 */
export function isUnlocked(
  kind: 'locktime' | 'sequence',
  operand: Uint8Array,
  transaction: Machine['transaction'],
): boolean {
  const wanted = numberOf(operand, LOCK_BYTES)
  if (wanted === null || wanted < 0) return false
  return kind === 'locktime' ? isTimeReached(wanted, transaction) : isOldEnough(wanted, transaction)
}

const isTimeReached = (wanted: number, { locktime, sequence }: Machine['transaction']): boolean =>
  wanted < LOCKTIME_THRESHOLD === locktime < LOCKTIME_THRESHOLD &&
  wanted <= locktime &&
  sequence !== FINAL_SEQUENCE

function isOldEnough(wanted: number, { version, sequence }: Machine['transaction']): boolean {
  // More than 32 bits: JavaScript's bit operations would cut it.
  if (Math.floor(wanted / DISABLED) % 2 === 1) return true
  // Core reads the version without its sign.
  if (version >>> 0 < 2 || (sequence & DISABLED) !== 0) return false
  const low = wanted % DISABLED
  return (low & SECONDS) === (sequence & SECONDS) && (low & COUNT) <= (sequence & COUNT)
}
