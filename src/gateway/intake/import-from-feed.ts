import { marketRules } from '../../domain/catalog/market-rules.ts'
import { EventRefusedError } from '../../domain/nostr/nostr-event.ts'
import { isUnprovedForGood, whyUnproved } from '../../domain/order/why-unproved.ts'
import { judge } from '../../domain/verdict/verdict.ts'
import { FeedError } from '../../ports/feeds/order-feed.ts'
import type { Allowances } from '../../runtime/token-bucket.ts'
import type { Evidence, NodeEvidence } from '../../schemas/evidence.ts'
import type { OfferClaim } from '../../schemas/order-record.ts'
import type { OutpointText } from '../../schemas/scalars.ts'
import type { IntakeItem, Judged, Readable } from '../../streams/feeds/dedupe.ts'
import { RefusalError } from '../refusal.ts'
import { appendCommand } from './await-outcome.ts'
import { claimOfImport } from './import-order.ts'
import { claimOfEvent } from './import-portable-event.ts'
import { type Claim, type Claimant, importCommand, nameClaim } from './submit-claim.ts'

export interface FeedImporter extends Claimant {
  /** Asks node and index, after all other questions to them. Throws only on a defect. */
  examine: (
    outpoint: OutpointText,
    claims: readonly OfferClaim[],
    signal: AbortSignal,
  ) => Promise<NodeEvidence | SignedByOwner | 'unexaminable'>
  /** Imports per order id, the refused ones apart: copies of a proved order are proved as well. */
  orders: Allowances
  /** A bug in the judgement of one item must not end its feed. */
  onFault: (error: unknown) => void
}

/** The owner of the offered output signed it. */
interface SignedByOwner {
  /** Everything a verdict needs (ADR 108); null: the order asks for it. */
  evidence: Evidence | null
}

/**
 * Reads a feed item as the routes do, without asking an authority: false items and non-orders go no
 * further. An event's publisher is its signer; publishers of offers are unknown, so all offers of
 * one output count as one publisher.
 */
export async function readFromFeed(
  importer: FeedImporter,
  item: IntakeItem,
): Promise<Judged | Readable> {
  const claim = await claimOf(importer, item)
  if ('outcome' in claim) return claim
  const { artifact, offer } = claim.inspected
  return {
    publisher: claim.saying.source.eventPubkey ?? offer.outpoint,
    size: artifact.length + OVERHEAD,
    prove: (signal) => importProved(importer, claim, signal),
  }
}

/** Characters that a waiting item costs on top of its PSBT. */
const OVERHEAD = 256

/**
 * Imports an offer if the node proves that its owner signed it; waits only for the log, never for a
 * verdict.
 *
 * @throws RefusalError STORAGE_UNAVAILABLE
 * @throws FeedError node_away
 */
async function importProved(
  importer: FeedImporter,
  claim: Claim,
  signal: AbortSignal,
): Promise<Judged> {
  const { orders, clock, examine, onFault } = importer
  const named = nameClaim(importer, claim)
  const { orderId, claim: asked } = named
  if (orders.waitMs(orderId, clock.monotonic()) > 0) return refused('over_budget', false)

  const said = await examine(asked.offer.outpoint, [asked], signal).catch((error: unknown) => {
    if (signal.aborted) throw error
    onFault(error)
    return 'internal' as const
  })
  if (said === 'internal') return refused(said, true)
  if (said === 'unexaminable') return refused(said, false)
  const evidence = 'evidence' in said ? said.evidence : null
  if ('status' in said) {
    if (said.status === 'unavailable') {
      throw new FeedError('node_away', `the node gives no answer: ${said.reason}`)
    }
    const unproved = whyUnproved(asked, said)
    if (unproved) return refused(unproved, isUnprovedForGood(unproved, said))
  }
  const budget = isRefused(asked, evidence) ? `refused ${orderId}` : orderId
  if (orders.waitMs(budget, clock.monotonic()) > 0) return refused('over_budget', false)
  orders.spend(budget, clock.monotonic())
  const command = importCommand(importer, named, evidence ? { evidence } : {})
  await appendCommand(importer, command).catch((error: unknown) => {
    // Each feed that has it tries again: an outage must not use up what its imports may take.
    orders.giveBack(budget)
    throw error
  })
  return { outcome: 'imported', isLie: false, isSettled: true }
}

/**
 * The authorities contradict what is claimed, or refuse the order whatever is. Anyone can copy an
 * order with a false claim: such copies have a budget apart, or they would use up that of its owner.
 */
const isRefused = (claim: OfferClaim, evidence: Evidence | null): boolean =>
  evidence !== null &&
  judge({ claim, evidence, market: marketRules(claim.protocolId), indexProof: null }).state ===
    'REJECTED'

async function claimOf(importer: FeedImporter, item: IntakeItem): Promise<Claim | Judged> {
  try {
    const claim =
      item.kind === 'event'
        ? await claimOfEvent(importer, item.event)
        : await claimOfImport(importer, { psbt: item.psbt, source: 'asset-offers' })
    const isOrder = claim.inspected.inspection.orderClass !== 'UNSUPPORTED'
    return isOrder ? claim : refused('unsupported_order', true)
  } catch (error) {
    if (error instanceof RefusalError) return refusedBy(error)
    importer.onFault(error)
    // Its id may be another event's: it was not checked yet.
    return refused('internal', false)
  }
}

const refused = (outcome: string, isSettled: boolean): Judged => ({
  outcome,
  isLie: false,
  isSettled,
})

/**
 * Relays verify events before they forward them, so a forged one counts as the relay's lie. Other
 * events refused before their id was checked are sent in good faith, but the id may be another
 * event's.
 */
function refusedBy({ code, cause }: RefusalError): Judged {
  const isOfEvent = cause instanceof EventRefusedError
  return {
    outcome: code.toLowerCase(),
    isLie: isOfEvent && cause.isForged,
    isSettled: !isOfEvent,
  }
}
