import { type FeeRate, feeRateText, parseFeeRate } from '../../domain/chain/fee-rate.ts'
import type { FullNode } from '../../ports/authorities/full-node.ts'
import type { ErrorCode } from '../../schemas/api/errors.ts'
import { RefusalError } from '../refusal.ts'

/**
 * 5,000 sat/vB: half of what `testmempoolaccept` takes for an absurd fee by default (maxfeerate
 * 0.10), since a signed transaction may be smaller than its estimate.
 */
const MAX_RATE: FeeRate = 5_000_000n

/**
 * The requested rate, or the node's own estimate, which a filling mempool may have overtaken since.
 *
 * @throws RefusalError `code` for a rate that the node would not accept; NodeUnavailableError
 */
export async function quotedFeeRate(
  node: FullNode,
  asked: string | undefined,
  code: ErrorCode = 'QUOTE_REFUSED',
): Promise<FeeRate> {
  const wanted = rateOf(asked ?? (await node.feeRate()))
  const minimum = rateOf(await node.minimumFeeRate())
  const rate = asked === undefined && wanted < minimum ? minimum : wanted
  if (rate < minimum) {
    const least = feeRateText(minimum)
    throw new RefusalError(code, `feeRateSatsPerVb: the node takes no less than ${least}`)
  }
  if (rate > MAX_RATE) {
    const most = feeRateText(MAX_RATE)
    throw new RefusalError(code, `feeRateSatsPerVb: must not exceed ${most}`)
  }
  return rate
}

function rateOf(text: string): FeeRate {
  const rate = parseFeeRate(text)
  if (rate === null) throw new Error(`${text} is not a fee rate`)
  return rate
}
