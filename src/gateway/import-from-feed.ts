import { EventRefused } from '../domain/nostr-event.ts'
import type { Judged, Telling } from '../streams/take-once.ts'
import { appendCommand } from './await-outcome.ts'
import { claimOfImport } from './import-order.ts'
import { claimOfEvent } from './import-portable-event.ts'
import { Refusal } from './refusal.ts'
import { type Claim, type Claimant, importCommand, nameClaim } from './submit-claim.ts'

/** A bug in the judgement of one item must not end its feed. */
type OnFault = (error: unknown) => void

/**
 * Imports what a feed tells as the routes do, and waits for the log alone, never for a verdict. An
 * event is what its signer says; an offer that is neither ask nor bid is refused, since nobody has
 * put a name to it.
 *
 * @throws Refusal STORAGE_UNAVAILABLE
 */
export async function importFromFeed(
  claimant: Claimant,
  item: Telling,
  onFault: OnFault,
): Promise<Judged> {
  const claim = claimOf(claimant, item, onFault)
  if ('outcome' in claim) return claim
  await appendCommand(claimant, importCommand(claimant, nameClaim(claimant, claim)))
  return { outcome: 'imported', isLie: false, isSettled: true }
}

function claimOf(claimant: Claimant, item: Telling, onFault: OnFault): Claim | Judged {
  try {
    if (item.kind === 'event') return claimOfEvent(claimant, item.event)
    const claim = claimOfImport(claimant, { psbt: item.psbt, source: 'asset-offers' })
    const isOrder = claim.inspected.inspection.orderClass !== 'UNSUPPORTED'
    return isOrder ? claim : refused('unsupported_order')
  } catch (error) {
    if (error instanceof Refusal) return refusedBy(error)
    onFault(error)
    return refused('internal')
  }
}

const refused = (outcome: string): Judged => ({ outcome, isLie: false, isSettled: true })

/**
 * Relays verify events before they pass them on: a forged one is the relay's lie. Others that are
 * refused before their id was looked at are told in good faith, but the name may be another's.
 */
function refusedBy({ code, cause }: Refusal): Judged {
  const isOfEvent = cause instanceof EventRefused
  return {
    outcome: code.toLowerCase(),
    isLie: isOfEvent && cause.isForged,
    isSettled: !isOfEvent,
  }
}
