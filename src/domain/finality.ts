import type { OutputEvidence } from '../schemas/evidence.ts'
import type { Offer } from '../schemas/order-record.ts'

/** nLockTime below this is a height, from it on a time in seconds (BIP113, Core LOCKTIME_THRESHOLD). */
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

type Unspent = Extract<OutputEvidence, { status: 'unspent' }>

/**
 * What the next block must have reached before a completion of this offer may be in it: a block
 * height, or a time in seconds (at or above 500,000,000); null when it is final now.
 * An unconfirmed output has no BIP68 age yet: its order waits for the confirmation anyway.
 */
export function notFinalUntil(offer: Offer, output: Unspent, tip: ChainTip): number | null {
  return lockTimeOf(offer, tip) ?? relativeLockOf(offer, output, tip) ?? maturityOf(output, tip)
}

// An ask commits to its own nSequence only: with a final one, a buyer with final inputs switches
// the lock time off. A bid commits to every input's.
function lockTimeOf({ locktime, sequences, sellerIndex, side }: Offer, tip: ChainTip) {
  const committed = side === 'ASK' ? sequences.slice(sellerIndex, sellerIndex + 1) : sequences
  if (locktime === 0 || committed.every((sequence) => sequence === SEQUENCE_FINAL)) return null
  const reached = locktime < LOCKTIME_THRESHOLD ? tip.height + 1 : tip.medianTime
  return locktime < reached ? null : locktime + 1
}

function relativeLockOf(offer: Offer, output: Unspent, tip: ChainTip): number | null {
  const sequence = offer.sequences[offer.sellerIndex]
  if (offer.version < 2 || sequence === undefined || sequence & SEQUENCE_LOCK_DISABLED) return null
  const lock = sequence & SEQUENCE_LOCK_MASK
  if (lock === 0 || output.block === null) return null
  if (sequence & SEQUENCE_LOCK_SECONDS) {
    if (output.priorMedianTime === null) return null
    const time = output.priorMedianTime + (lock << SEQUENCE_LOCK_GRANULARITY)
    return time <= tip.medianTime ? null : time
  }
  const height = output.block.height + lock
  return height <= tip.height + 1 ? null : height
}

function maturityOf(output: Unspent, tip: ChainTip): number | null {
  if (!output.coinbase || output.block === null) return null
  const height = output.block.height + COINBASE_MATURITY
  return height <= tip.height + 1 ? null : height
}

/** Has the next block reached what `notFinalUntil` named? */
export const finalAt = (until: number, tip: ChainTip): boolean =>
  until < LOCKTIME_THRESHOLD ? until <= tip.height + 1 : until <= tip.medianTime
