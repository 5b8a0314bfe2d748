import { EventRefused, readSaleEvent, type SaleEvent } from '../domain/nostr-event.ts'
import { parseOutpoint } from '../domain/outpoint.ts'
import type { NostrEvent } from '../schemas/nostr.ts'
import type { OrderSummary, SourceEvidence } from '../schemas/order.ts'
import type { Gateway } from './gateway.ts'
import { inspectArtifact } from './inspect-artifact.ts'
import { Refusal } from './refusal.ts'
import { submitClaim } from './submit-claim.ts'

/**
 * Takes a signed kind 802 event, verifies its id and signature, then the order exactly as an import
 * (spec 4.2, Portable event). Its tags are claims.
 *
 * @throws Refusal INVALID_EVENT, WRONG_NETWORK, and all that `importOrder` throws
 */
export async function importPortableEvent(
  gateway: Gateway,
  event: NostrEvent,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const sale = readEvent(gateway, event)
  const inspected = inspectArtifact('content', sale.psbt)
  const observedAt = new Date(gateway.clock.now()).toISOString()
  const source = sourceOf(sale, inspected.offer.outpoint, observedAt)
  const { notes } = sale
  return (await submitClaim(gateway, inspected, { source, notes }, signal)).summary
}

function readEvent({ settings }: Gateway, event: NostrEvent): SaleEvent {
  try {
    return readSaleEvent(event, settings.network)
  } catch (cause) {
    if (!(cause instanceof EventRefused)) throw cause
    throw new Refusal(cause.code, cause.message, { cause })
  }
}

/** An inscription that is claimed without a whole output is claimed to be in the one that is offered. */
function sourceOf(sale: SaleEvent, offered: string, observedAt: string): SourceEvidence {
  const { eventId, eventPubkey, claimedPriceSats, claimedInscriptionId, claimedOutpoint } = sale
  const outpoint = claimedOutpoint ?? parseOutpoint(offered)
  return {
    source: 'portable-nostr802',
    sourceId: eventId,
    observedAt,
    eventId,
    eventPubkey,
    signatureVerified: true,
    ...(claimedPriceSats !== null && { claimedPriceSats }),
    ...(claimedInscriptionId !== null && {
      claimedAsset: { inscriptionId: claimedInscriptionId, outpoint },
    }),
  }
}
