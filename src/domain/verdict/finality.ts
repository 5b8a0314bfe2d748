import type { OutputEvidence } from '../../schemas/evidence.ts'
import type { Offer } from '../../schemas/order-record.ts'

/** nLockTime below this is a height, else a time in seconds (BIP113, Core LOCKTIME_THRESHOLD). */
const LOCKTIME_THRESHOLD = 500_000_000
const SEQUENCE_FINAL = 0xffffffff
/** BIP68: the lock is off, counts 512 seconds, or counts blocks. */
const SEQUENCE_LOCK_DISABLED = 0x80000000
const SEQUENCE_LOCK_SECONDS = 0x00400000
const SEQUENCE_LOCK_MASK = 0x0000ffff
const SEQUENCE_LOCK_GRANULARITY = 9
const COINBASE_MATURITY = 100

export interface ChainTip {
  height: number
  /** Median time past of the tip, seconds (BIP113). */
  medianTime: number
}

/** An input that the offer commits to: for an ask only its own, for a bid all. */
export interface CommittedInput {
  sequence: number
  output: Pick<
    Extract<OutputEvidence, { status: 'unspent' }>,
    'block' | 'coinbase' | 'priorMedianTime'
  >
}

/**
 * What the next block must have reached before it may contain a completion of this offer: its own
 * height, or a median time past in seconds (at or above 500,000,000); null if final now. An
 * unconfirmed output counts as made by the next block, as in the node (BIP68).
 */
export function notFinalUntil(
  { locktime, version }: Pick<Offer, 'locktime' | 'version'>,
  inputs: readonly CommittedInput[],
  tip: ChainTip,
): number | null {
  const locks = [
    lockTime(locktime, inputs, tip),
    ...inputs.map((input) => (version < 2 ? null : relativeLock(input, tip))),
    ...inputs.map((input) => maturity(input, tip)),
  ]
  return locks.find((lock) => lock !== null) ?? null
}

/** Has the next block reached what `notFinalUntil` named? */
export const isFinalAt = (until: number, tip: ChainTip): boolean =>
  isHeightLock(until) ? until <= tip.height + 1 : until <= tip.medianTime

/** Is a lock of `notFinalUntil` a height? Else it is a median time past. */
export const isHeightLock = (until: number): boolean => until < LOCKTIME_THRESHOLD

/** Does this sequence number lock by the output's age in seconds (BIP68)? */
export const countsSeconds = (sequence: number): boolean =>
  !(sequence & SEQUENCE_LOCK_DISABLED) && (sequence & SEQUENCE_LOCK_SECONDS) !== 0

// An ask's buyer may make every other input final: then only the seller's can enforce the locktime.
function lockTime(locktime: number, inputs: readonly CommittedInput[], tip: ChainTip) {
  if (locktime === 0 || inputs.every(({ sequence }) => sequence === SEQUENCE_FINAL)) return null
  const isHeight = locktime < LOCKTIME_THRESHOLD
  // The largest possible height must not read as a time.
  const until = isHeight ? Math.min(locktime + 1, LOCKTIME_THRESHOLD - 1) : locktime + 1
  return isFinalAt(until, tip) ? null : until
}

function relativeLock({ sequence, output }: CommittedInput, tip: ChainTip): number | null {
  const lock = sequence & SEQUENCE_LOCK_MASK
  if (sequence & SEQUENCE_LOCK_DISABLED || lock === 0) return null
  const until = countsSeconds(sequence)
    ? (output.priorMedianTime ?? tip.medianTime) + (lock << SEQUENCE_LOCK_GRANULARITY)
    : (output.block?.height ?? tip.height + 1) + lock
  return isFinalAt(until, tip) ? null : until
}

function maturity({ output }: CommittedInput, tip: ChainTip): number | null {
  if (!output.coinbase || output.block === null) return null
  const until = output.block.height + COINBASE_MATURITY
  return isFinalAt(until, tip) ? null : until
}
