import { untilAborted } from '../../runtime/until-aborted.ts'
import type { Evidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { RefusalError } from '../refusal.ts'

/**
 * What node and index now say about an offer that is not an order yet; nothing is stored.
 *
 * @throws RefusalError STILL_BEING_VERIFIED when `signal` aborts first
 */
export async function examineOffer(
  { offers }: Pick<Gateway, 'offers'>,
  outpoint: OutpointText,
  claims: readonly OfferClaim[],
  signal: AbortSignal,
): Promise<Evidence> {
  const reason = `${outpoint} is still being verified: nothing was stored, try again`
  return await inTime(offers.examine(outpoint, claims, signal), signal, reason)
}

/**
 * The answer, if it comes before `signal` aborts.
 *
 * @throws RefusalError STILL_BEING_VERIFIED with the reason when it does not
 */
export const inTime = <T>(answer: Promise<T>, signal: AbortSignal, reason: string): Promise<T> =>
  untilAborted(answer, signal, () => {
    throw new RefusalError('STILL_BEING_VERIFIED', reason)
  })
