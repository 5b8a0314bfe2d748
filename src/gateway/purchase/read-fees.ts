import type { FeeEstimates } from '../../schemas/api/purchase.ts'
import type { Gateway } from '../gateway.ts'
import { askWithinBounds } from './bounded-authorities.ts'
import { requireNode } from './order-for-sale.ts'

/** Soon, within the hour, within the day; Bitcoin Core estimates nothing for one block. */
const TARGETS = [2, 6, 144] as const
const CACHED_MS = 30_000

/**
 * The node's estimates of fee rates, cached for 30 s: however many ask, the node is asked once. A failure
 * is not cached.
 *
 * @returns a reader that throws RefusalError NODE_UNAVAILABLE
 */
export function feesOf(
  gateway: Pick<Gateway, 'node' | 'clock' | 'settings'>,
  signal: AbortSignal,
): () => Promise<FeeEstimates> {
  let cached: { at: number; fees: Promise<FeeEstimates> } | null = null
  return () => {
    const now = gateway.clock.now()
    if (cached && now - cached.at < CACHED_MS) return cached.fees
    const asked = { at: now, fees: readFees(gateway, signal) }
    cached = asked
    asked.fees.catch(() => {
      if (cached === asked) cached = null
    })
    return asked.fees
  }
}

async function readFees(
  gateway: Pick<Gateway, 'node' | 'clock' | 'settings'>,
  signal: AbortSignal,
): Promise<FeeEstimates> {
  return askWithinBounds(gateway, requireNode(gateway), signal, async (node) => {
    const rates = await node.feeEstimates(TARGETS)
    const minimumFeeRateSatsPerVb = await node.minimumFeeRate()
    return {
      network: gateway.settings.network,
      estimates: TARGETS.flatMap((blocks, at) => {
        const feeRateSatsPerVb = rates[at]
        return feeRateSatsPerVb ? [{ blocks, feeRateSatsPerVb }] : []
      }),
      minimumFeeRateSatsPerVb,
      observedAt: new Date(gateway.clock.now()).toISOString(),
    }
  })
}
