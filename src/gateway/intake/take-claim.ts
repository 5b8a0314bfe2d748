import { parseOutpoint } from '../../domain/chain/outpoint.ts'
import { refusalOf } from '../../domain/verdict/verdict.ts'
import type { JudgedOffer, OfferToJudge } from '../../ports/feeds/offer-judge.ts'
import type { StoredOrder } from '../../ports/views/order-views.ts'
import type { NodeTrouble } from '../../schemas/evidence.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import { inAttempts } from '../attempts.ts'
import type { CommandParts, Gateway } from '../gateway.ts'
import type { AnyOrder } from '../order/read-order.ts'
import { asStored, entryOf, storyOf } from '../order/unproved-entry.ts'
import type { ToStore } from '../stored-budget.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { refusedBy } from './await-outcome.ts'
import { inTime } from './examine-offer.ts'
import {
  type Attachments,
  type Claim,
  type NamedClaim,
  nameClaim,
  submitOrder,
} from './submit-claim.ts'

/**
 * Takes a claim from any client (docs/design/strangers.md#proved-and-unproved). The node is asked
 * first: what its owner signed enters the log and is an order like any other. Everything else is
 * answered and kept in the pool, where it blocks no other order; what no authority could ever judge
 * is answered and not kept.
 *
 * @throws RefusalError TOO_MANY_CLAIMS, MARKET_RATE_LIMITED, OVERLOADED,
 *   STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED
 */
export function submitOrPool(
  gateway: CommandParts & Pick<Gateway, 'judge' | 'lastWatermark' | 'pool' | 'stored'>,
  claim: Claim,
  client: string,
  signal: AbortSignal,
): Promise<StoredOrder> {
  const named = nameClaim(gateway, claim)
  return inAttempts(gateway, signal, stillVerified(named.orderId), (deadline) =>
    takeOnce(gateway, named, client, deadline),
  )
}

/** Null: the order's entry changed meanwhile, so the claim was judged beside what it no longer is. */
async function takeOnce(
  gateway: CommandParts & Pick<Gateway, 'judge' | 'lastWatermark' | 'pool' | 'stored'>,
  { orderId, claim }: NamedClaim,
  client: string,
  deadline: AbortSignal,
): Promise<StoredOrder | null> {
  const { views, pool, clock } = gateway
  const [known, begun] = await Promise.all([
    views.order(orderId),
    gateway.lastWatermark(claim.offer.outpoint),
  ])
  // Nothing is written for it: otherwise the log grows by what anyone sends again.
  if (known && !gateway.judge.bringsNews(known.order, claim)) return known
  const entry = known ? null : await pool.find(orderId, clock.now())
  const asked = { orderId, at: claim.source.observedAt, claim }
  const offer = entry
    ? { ...asked, known: entry.order, begun: null }
    : { ...asked, known: null, begun: known ? null : begun }
  const judged = await judgeInTime(gateway, offer, deadline)
  if (judged.refused) throw refusedBy(judged.refused)
  if (judged.isProved) {
    // The signature that proves it may be another wrapper's.
    const { order, evidence } = judged
    const stored = await store(gateway, order, { client, isNewOrder: !known }, deadline, {
      ...(entry && { story: storyOf({ ...entry, order }) }),
      ...(evidence && { evidence }),
    })
    if (entry) await forget(gateway, entry)
    return stored
  }
  // An unproved claim adds nothing to a proved order.
  if (known) return known
  const now = clock.now()
  const next = entryOf(entry, judged, { client, importedAt: now }, now)
  if (refusalOf(claim.inspection) !== null) return asStored(next)
  return (await pool.put(next, entry, now)) === 'changed' ? null : asStored(next)
}

/** At whose expense an order enters the log; null: an operator's, who is refused nothing. */
export interface Storing extends Pick<ToStore, 'isNewOrder'> {
  client: ToStore['client'] | null
}

export interface Rechecked {
  stored: StoredOrder
  /** Why the node gave no answer; null: it did. */
  away: NodeTrouble | null
}

/**
 * Rechecks an order of the pool: it enters the log once it is proved. Null: it was imported, checked
 * or moved to the log meanwhile.
 *
 * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED, STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED,
 *   TOO_MANY_CLAIMS
 */
export async function recheckPooled(
  gateway: CommandParts & Pick<Gateway, 'judge' | 'pool' | 'stored'>,
  entry: UnprovedOrder,
  storing: Storing,
  deadline: AbortSignal,
): Promise<Rechecked | null> {
  const { pool, clock } = gateway
  const at = new Date(clock.now()).toISOString()
  const asked = { orderId: entry.order.id, at, claim: null, known: entry.order, begun: null }
  const judged = await judgeInTime(gateway, asked, deadline)
  const { order, isProved, away = null } = judged
  if (isProved) {
    return { stored: await enterLog(gateway, entry, order, storing, deadline), away }
  }
  const now = clock.now()
  const next = entryOf(entry, judged, entry, now)
  if ((await pool.put(next, entry, now)) === 'changed') return null
  return { stored: asStored(next), away }
}

/** Hands a pool order to the log, as it was judged or is: to be judged there, or to be withdrawn. */
async function enterLog(
  gateway: CommandParts & Pick<Gateway, 'pool' | 'stored'>,
  entry: UnprovedOrder,
  order: OrderRecord,
  storing: Storing,
  deadline: AbortSignal,
): Promise<StoredOrder> {
  const story = storyOf({ ...entry, order })
  const stored = await store(gateway, order, storing, deadline, { story })
  await forget(gateway, entry)
  return stored
}

/** The log never drops a proved order: everything that enters it is charged. */
function store(
  gateway: CommandParts & Pick<Gateway, 'stored'>,
  order: OrderRecord,
  { client, isNewOrder }: Storing,
  deadline: AbortSignal,
  attachments: Attachments,
): Promise<StoredOrder> {
  const { id: orderId, kept, claims } = order
  if (client !== null) {
    gateway.stored.spend({ client, orderId, claims: [kept, ...claims], isNewOrder })
  }
  return submitOrder(gateway, order, deadline, attachments)
}

/**
 * The order in the log, where it can be withdrawn: an unproved one is moved there first, at the expense
 * of `client`; null: an operator.
 *
 * @throws RefusalError MARKET_RATE_LIMITED, OVERLOADED, STORAGE_UNAVAILABLE, STILL_BEING_VERIFIED,
 *   TOO_MANY_CLAIMS
 */
export async function inLog(
  gateway: CommandParts & Pick<Gateway, 'pool' | 'stored'>,
  found: AnyOrder,
  client: string | null,
  signal: AbortSignal,
): Promise<StoredOrder> {
  if (!('entry' in found)) return found.stored
  const storing = { client, isNewOrder: true }
  return await inWaitingTime(gateway, signal, (deadline) =>
    enterLog(gateway, found.entry, found.entry.order, storing, deadline),
  )
}

/**
 * What the pool still has of an order in the log is shown no more: it is harmless, and expires. What
 * was imported meanwhile stays, and is looked at.
 */
export async function forget(
  gateway: Pick<Gateway, 'pool' | 'clock'>,
  entry: UnprovedOrder,
): Promise<void> {
  try {
    if (!(await gateway.pool.remove(entry))) await lookAgain(gateway, entry)
  } catch {
    // As above: nothing depends on it.
  }
}

/** Another wrote an order while this process judged it, and may have judged it before the news of its output. */
export const lookAgain = (
  { pool, clock }: Pick<Gateway, 'pool' | 'clock'>,
  { order: { outpoint } }: UnprovedOrder,
): Promise<void> => pool.wake([parseOutpoint(outpoint).txid], clock.now())

const judgeInTime = (
  { judge }: Pick<Gateway, 'judge'>,
  offer: OfferToJudge,
  deadline: AbortSignal,
): Promise<JudgedOffer> =>
  inTime(judge.judge(offer, deadline), deadline, stillVerified(offer.orderId))

const stillVerified = (id: OrderId): string =>
  `order ${id} is still being verified: nothing was stored, try again`
