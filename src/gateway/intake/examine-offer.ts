import type { Evidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { RefusalError } from '../refusal.ts'

/**
 * What node and index now say about an offer that is not an order yet; nothing is stored.
 *
 * @throws RefusalError STILL_BEING_VERIFIED when `over` aborts first
 */
export async function examineOffer(
  { offers }: Pick<Gateway, 'offers'>,
  outpoint: OutpointText,
  claims: readonly OfferClaim[],
  over: AbortSignal,
): Promise<Evidence> {
  const reason = `${outpoint} is still being verified: nothing was stored, try again`
  return await inTime(offers.examine(outpoint, claims, over), over, reason)
}

/**
 * The answer, if it comes before `over` aborts.
 *
 * @throws RefusalError STILL_BEING_VERIFIED with the reason when it does not
 */
export async function inTime<T extends object>(
  answer: Promise<T>,
  over: AbortSignal,
  reason: string,
): Promise<T> {
  // A late answer is ignored, and so is its rejection.
  answer.catch(() => undefined)
  const first = await Promise.race([answer, aborted(over)])
  if (first) return first
  throw new RefusalError('STILL_BEING_VERIFIED', reason)
}

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
