import type { NotBefore, Takeable } from '../../schemas/api/outputs/exposure.ts'
import type { OutputEvidence } from '../../schemas/evidence.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { isProved } from '../order/proved.ts'
import { type ChainTip, isHeightLock, notFinalUntil } from '../verdict/finality.ts'

/** What the node says about an offered output, at one tip. */
export interface SeenOutput {
  output: OutputEvidence
  /** Median time past of the block before the output's, seconds; null if it is in none. */
  priorMedianTime: number | null
  tip: ChainTip
}

export interface Taking {
  takeable: Takeable
  notBefore: NotBefore | null
}

/**
 * Can a holder of this ask take its output for the price? Only a block that spends the output ends
 * a signature (gateway spec 1.5): neither its order's state nor what nodes relay counts, and a
 * spend in the mempool can be replaced.
 */
export function takingOf(order: OrderRecord, seen: SeenOutput): Taking {
  const { output } = seen
  if (isSpentInBlock(output)) return { takeable: 'ENDED', notBefore: null }
  if (!isProved(order)) return { takeable: 'UNPROVED', notBefore: null }
  if (output.status === 'missing') return { takeable: 'LATER', notBefore: null }
  const { offer } = order.kept
  const input = {
    sequence: offer.sequences[offer.sellerIndex] ?? 0,
    output: {
      block: output.block,
      // What is spent in the mempool was mature.
      coinbase: output.status === 'unspent' && output.coinbase,
      priorMedianTime: seen.priorMedianTime,
    },
  }
  const until = notFinalUntil(offer, [input], seen.tip)
  if (until === null) return { takeable: 'NOW', notBefore: null }
  return {
    takeable: 'LATER',
    notBefore: isHeightLock(until) ? { height: until } : { medianTime: until },
  }
}

export const isSpentInBlock = (output: OutputEvidence): boolean =>
  output.status === 'spent' && output.confirmed
