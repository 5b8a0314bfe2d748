import { isOtherOutput, outpointText } from '../../domain/chain/outpoint.ts'
import { EventRefusedError, type SaleEvent } from '../../domain/nostr/nostr-event.ts'
import { notesAt } from '../../domain/nostr/sale-claims.ts'
import type { ClaimNote } from '../../domain/reasons/claim-notes.ts'
import type { Inspected } from '../../domain/verdict/inspect.ts'
import type { OrderSummary, SourceEvidence } from '../../schemas/order.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import type { NostrEvent } from '../../schemas/wire/nostr.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import { summarise } from '../order/summarise.ts'
import { RefusalError } from '../refusal.ts'
import { sideNotes } from './import-order.ts'
import { inspectArtifact } from './inspect-artifact.ts'
import type { Claim, Claimant, SourceStatement } from './submit-claim.ts'
import { submitOrPool } from './take-claim.ts'

/**
 * Takes a signed kind 802 event, verifies its id and signature, then the order exactly as an import
 * (gateway spec 4.2, Portable event). Its tags are claims.
 *
 * @throws RefusalError INVALID_EVENT, WRONG_NETWORK, and all that `importOrder` throws
 */
export async function importPortableEvent(
  gateway: CommandParts &
    Pick<Gateway, 'artifacts' | 'judge' | 'lastWatermark' | 'pool' | 'stored'>,
  event: NostrEvent,
  client: string,
  signal: AbortSignal,
): Promise<OrderSummary> {
  const stored = await submitOrPool(gateway, await claimOfEvent(gateway, event), client, signal)
  return summarise(gateway, stored).summary
}

/**
 * The claims of an event about its artifact, once its id and signature are verified.
 *
 * @throws RefusalError INVALID_EVENT, WRONG_NETWORK before that; INVALID_PSBT, PSBT_TOO_LARGE after it
 */
export async function claimOfEvent(claimant: Claimant, event: unknown): Promise<Claim> {
  const sale = await readEvent(claimant, event)
  const inspected = await inspectArtifact(claimant, 'content', sale.psbt)
  return { inspected, saying: sayingOfEvent(claimant, sale, inspected) }
}

/** What an event with a valid id and signature says about its artifact. */
export function sayingOfEvent(
  { clock }: Pick<Claimant, 'clock'>,
  sale: SaleEvent,
  { offer }: Pick<Inspected, 'offer'>,
): SourceStatement {
  const now = clock.now()
  const notes = [
    ...notesAt(sale, now),
    ...outputNotes(sale, offer.outpoint),
    ...sideNotes(sale.claimedSide, offer.side),
  ]
  return { ...sayingOf(sale, new Date(now).toISOString()), notes }
}

/**
 * The output is read from the artifact; a source that names another one, or another transaction, is only
 * noted. Of an inscription it is more than a note: the order is rejected for it (`asset_mismatch`).
 */
function outputNotes(
  { claimedOutpoint, claimedTxid, claimedInscriptionId }: SaleEvent,
  offered: OutpointText,
): ClaimNote[] {
  const claimed = claimedOutpoint ? outpointText(claimedOutpoint) : claimedTxid
  const isDifferent = claimed !== null && isOtherOutput(claimed, offered)
  return isDifferent && claimedInscriptionId === null ? ['utxo_claim_differs'] : []
}

async function readEvent({ artifacts, settings }: Claimant, event: unknown): Promise<SaleEvent> {
  const reading = await artifacts.readSale({ event, network: settings.network })
  if (reading.status === 'read') return reading.sale
  const { code, message, isForged } = reading
  const cause = new EventRefusedError(code, message, isForged)
  throw new RefusalError(code, message, { cause })
}

/** An inscription is claimed to be where the event says, and nowhere else: no index is invented. */
function sayingOf(sale: SaleEvent, observedAt: string): Omit<SourceStatement, 'notes'> {
  const { eventId, eventPubkey, claimedPriceSats, claimedOutpoint, claimedTxid } = sale
  const inscriptionId = sale.claimedInscriptionId
  const source: SourceEvidence = {
    source: 'portable-nostr802',
    sourceId: eventId,
    observedAt,
    eventId,
    eventPubkey,
    signatureVerified: true,
    ...(claimedPriceSats !== null && { claimedPriceSats }),
  }
  if (inscriptionId === null) return { source }
  if (claimedOutpoint !== null)
    return { source: { ...source, claimedAsset: { inscriptionId, outpoint: claimedOutpoint } } }
  const claimed = { inscriptionId, ...(claimedTxid !== null && { txid: claimedTxid }) }
  return { source, claimedInscription: claimed }
}
