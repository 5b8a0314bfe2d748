import { orderIdOf } from '../../domain/order/order-id.ts'
import {
  INSPECTION_REASONS,
  type InspectionReason,
} from '../../domain/reasons/inspection-reasons.ts'
import { ANCHOR } from '../../domain/script/address.ts'
import { hasNoKey } from '../../domain/script/relay.ts'
import type { Inspected } from '../../domain/verdict/inspect.ts'
import type { BuiltAsk } from '../../ports/views/built-asks.ts'
import type { PublishAskRequest } from '../../schemas/api/listing.ts'
import type { OrderSummary } from '../../schemas/order.ts'
import type { OrderState } from '../../schemas/scalars.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { examineOffer } from '../intake/examine-offer.ts'
import { inspectArtifact } from '../intake/inspect-artifact.ts'
import { nameClaim, type SourceStatement, submitClaim } from '../intake/submit-claim.ts'
import { forget } from '../intake/take-claim.ts'
import { summarise } from '../order/summarise.ts'
import { requireAuthorities } from '../purchase/order-for-sale.ts'
import { RefusalError } from '../refusal.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { requireListable, requireLive } from './require-listable.ts'

/**
 * Lists a signed ask (gateway spec 4.2, docs/design/purchases.md#build). Node and index are asked
 * first: an ask that would not be LIVE is refused and leaves nothing behind. Then it is an order
 * like any other, with the metadata given at its build. A PSBT that was not built here is held to
 * the same rules.
 *
 * @throws RefusalError INVALID_PSBT, PSBT_TOO_LARGE, PUBLISH_REFUSED, ORDER_WITHDRAWN,
 *   TOO_MANY_CLAIMS, MARKET_RATE_LIMITED, OVERLOADED; NODE_UNAVAILABLE, ASSET_INDEX_UNAVAILABLE,
 *   STORAGE_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export function publishAsk(
  gateway: CommandParts &
    Pick<
      Gateway,
      | 'artifacts'
      | 'offers'
      | 'judge'
      | 'pool'
      | 'builds'
      | 'stored'
      | 'lastWatermark'
      | 'node'
      | 'index'
    >,
  { psbt }: PublishAskRequest,
  client: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  return inWaitingTime(gateway, signal, async (deadline) => {
    const { views, pool, builds, clock, settings } = gateway
    const inspected = requireSellerHalf(await inspectArtifact(gateway, 'psbt', psbt))
    const orderId = orderIdOf(settings.network, inspected)
    const known = await views.order(orderId)
    const entry = known ? null : await pool.find(orderId, clock.now())
    if (known) requireNotWithdrawn(known.order.state)
    requireAuthorities(gateway)

    const { unsignedTxid } = inspected.inspection
    const built = await builds.find(unsignedTxid, clock.now())
    const saying = sayingOf(inspected, built, new Date(clock.now()).toISOString())
    const named = nameClaim(gateway, { inspected, saying })
    const { outpoint } = inspected.offer
    const begun = known ? null : await gateway.lastWatermark(outpoint)
    const evidence = await examineOffer(gateway, outpoint, [named.claim], deadline, begun)
    requireListable('PUBLISH_REFUSED', named.claim, evidence)

    const { claim } = named
    // Nothing is written for a listing that is here as it is: anyone may send it again.
    const isRepeat = known?.order.state === 'LIVE' && !gateway.judge.bringsNews(known.order, claim)
    if (!isRepeat) gateway.stored.spend({ client, orderId, claims: [claim], isNewOrder: !known })
    const stored = isRepeat
      ? ((await views.order(orderId)) ?? known)
      : await submitClaim(gateway, named, deadline, begun ? { evidence } : {})
    if (entry) await forget(gateway, entry)
    const { order } = stored
    // The chain may have moved between the examination and the verdict.
    requireNotWithdrawn(order.state)
    requireLive('PUBLISH_REFUSED', order)
    return summarise(gateway, stored).summary
  })
}

/** @throws RefusalError PUBLISH_REFUSED for anything that is not a seller's half */
function requireSellerHalf(inspected: Inspected): Inspected {
  const { orderClass, safety, reasons } = inspected.inspection
  if (orderClass === 'UNSUPPORTED') {
    throw new RefusalError(
      'PUBLISH_REFUSED',
      reasons.map((reason) => `psbt: ${explained(reason)}`),
    )
  }
  if (orderClass === 'BID_FULLY_FUNDED') {
    throw new RefusalError('PUBLISH_REFUSED', 'psbt: is a bid, which a buyer signed')
  }
  if (safety !== 'PUBLIC_RACEABLE') {
    throw new RefusalError('PUBLISH_REFUSED', 'psbt: must have one input and one output')
  }
  const paid = inspected.offer.payouts.map(({ scriptHex }) => scriptHex)
  if (paid.includes(ANCHOR)) {
    throw new RefusalError('PUBLISH_REFUSED', 'psbt: pays an anchor, which anyone may spend')
  }
  if (paid.some(hasNoKey)) {
    const lost = 'pays a taproot key that is not a point of the curve: no signature can spend it'
    throw new RefusalError('PUBLISH_REFUSED', `psbt: ${lost}`)
  }
  return inspected
}

/** An inspection reason with its meaning. */
const explained = (reason: string): string =>
  isInspectionReason(reason) ? `${reason}: ${INSPECTION_REASONS[reason]}` : reason

const isInspectionReason = (reason: string): reason is InspectionReason =>
  Object.hasOwn(INSPECTION_REASONS, reason)

/** A PSBT without a remembered build is identified by its bytes, and names no market. */
function sayingOf(
  { digest }: Inspected,
  built: BuiltAsk | null,
  observedAt: string,
): SourceStatement {
  const source = { source: 'direct-import' as const, sourceId: digest, observedAt }
  if (!built) return { source, notes: [] }
  const { protocolId, token, quotedPriceSats, asset } = built
  return {
    source: { ...source, claimedPriceSats: quotedPriceSats, ...(asset && { claimedAsset: asset }) },
    protocolId,
    token,
    published: true,
    notes: [],
  }
}

function requireNotWithdrawn(state: OrderState): void {
  if (state !== 'WITHDRAWN') return
  const cure = 'build it again, at whatever price, and sign that'
  throw new RefusalError('ORDER_WITHDRAWN', `this authorisation was withdrawn for good: ${cure}`)
}
