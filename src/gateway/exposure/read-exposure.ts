import { z } from 'zod'
import { lowestPrices, NO_PRICE } from '../../domain/exposure/lowest-price.ts'
import { isSpentInBlock, type SeenOutput, takingOf } from '../../domain/exposure/takeable.ts'
import { importedAt } from '../../domain/order/room.ts'
import { signedPrice } from '../../domain/verdict/payout.ts'
import type { SortPosition } from '../../ports/views/order-views.ts'
import {
  type Authorisation,
  type Exposure,
  type ExposureQuery,
  MAX_PAID_BIDS,
  type PaidBid,
} from '../../schemas/api/outputs/exposure.ts'
import type { OutputEvidence } from '../../schemas/evidence.ts'
import type { Notice } from '../../schemas/order.ts'
import type { OrderRecord } from '../../schemas/order-record.ts'
import { OrderId, type OutpointText } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { asksOf, bidsPaidBy, type QueuedViews } from '../order/orders-of-output.ts'
import { refuseOffset } from '../reading/paging.ts'
import { inWaitingTime } from '../waiting-time.ts'
import { exposedOutput, seeOutput } from './seen-output.ts'

const Position = z.strictObject({ value: z.string().nullable(), id: OrderId })

/** Asks that are read at a time, and at most, to find the lowest prices. */
const STEP = 50
const MAX_SCANNED = 200

/**
 * Every authorisation ever proved for an output, a page of them, newest first, and the lowest price
 * that it can still be taken for. Nothing that a sender wrote is shown, so hidden orders are shown
 * with the others (docs/adr/0066-exposure-of-an-output.md).
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR, NODE_UNAVAILABLE, STORAGE_UNAVAILABLE,
 *   STILL_BEING_VERIFIED
 */
export async function readExposure(
  gateway: Pick<
    Gateway,
    'views' | 'inspections' | 'pool' | 'node' | 'cursors' | 'clock' | 'settings'
  >,
  views: QueuedViews,
  outpoint: OutpointText,
  { limit, cursor, offset }: ExposureQuery,
  signal: AbortSignal,
): Promise<Exposure> {
  refuseOffset(offset)
  const query = JSON.stringify(['exposure', outpoint])
  const after = cursor === undefined ? undefined : gateway.cursors.decode(query, cursor, Position)
  const seen = await inWaitingTime(gateway, signal, (deadline) =>
    seeOutput(gateway, views, outpoint, deadline),
  )
  const asks = { ...asksOf(outpoint), sort: 'newest', limit, ...(after && { after }) } as const
  const page = await views.page(asks)
  const { network } = gateway.settings
  const unproved = await unprovedAt(gateway, outpoint)
  const nextCursor = page.next === null ? '' : gateway.cursors.encode(query, page.next)
  const { height, hash } = seen.tip
  return {
    outpoint,
    network,
    output: exposedOutput(seen.output),
    lowest: await lowestOf(views, outpoint, seen),
    authorisations: page.orders.map(({ order }) => authorisationOf(order, seen)),
    bids: await bidsOf(views, outpoint),
    unproved: unproved.map((order) => authorisationOf(order, seen)),
    total: page.total,
    limit,
    nextCursor,
    hasMore: nextCursor !== '',
    nodeTip: { height, hash },
    observedAt: seen.answeredAt,
    notices: noticesOf(seen.output),
  }
}

/** The bids that the output pays for: they are in the log, so its owner signed them. */
async function bidsOf(views: QueuedViews, outpoint: OutpointText): Promise<Exposure['bids']> {
  const bids = { ...bidsPaidBy(outpoint), sort: 'newest', limit: MAX_PAID_BIDS } as const
  const { orders, total } = await views.page(bids)
  return { newest: orders.map(({ order }) => paidBidOf(order)), total }
}

const paidBidOf = (order: OrderRecord): PaidBid => ({
  orderId: order.id,
  state: order.state,
  reason: order.reason,
  outpoint: order.outpoint,
  signedPriceSats: order.quotedPriceSats ?? null,
  digest: order.kept.inspection.digest,
  hidden: order.hidden !== undefined,
  firstSeenAt: order.createdAt,
  lastSeenAt: importedAt(order),
  closedAt: order.closedAt,
})

/**
 * Bids for the output prove nothing about its owner, so they are left out, as bids of the log are.
 */
async function unprovedAt(
  { pool, views, clock }: Pick<Gateway, 'views' | 'pool' | 'clock'>,
  outpoint: OutpointText,
): Promise<OrderRecord[]> {
  const entries = await pool.atOutput(outpoint, clock.now())
  const asks = entries.map(({ order }) => order).filter(({ kept }) => kept.offer.side === 'ASK')
  // Orders that entered the log meanwhile: their pool entry outlived the move.
  const moved = await Promise.all(asks.map(({ id }) => views.order(id)))
  return asks.filter((_, at) => !moved[at])
}

/** The lowest prices, of a bounded number of asks from the cheapest up. */
async function lowestOf(
  views: QueuedViews,
  outpoint: OutpointText,
  seen: SeenOutput,
): Promise<Exposure['lowest']> {
  if (isSpentInBlock(seen.output)) return { ...NO_PRICE, complete: true }
  let found = NO_PRICE
  let after: SortPosition | null = null
  for (let looked = 0; looked < MAX_SCANNED; looked += STEP) {
    const asks = { ...asksOf(outpoint), sort: 'price_asc', limit: STEP } as const
    const page = await views.page({ ...asks, ...(after && { after }) })
    const orders = page.orders.map(({ order }) => order)
    found = lowestPrices(found, orders, seen)
    if (found.now !== null || page.next === null) return { ...found, complete: true }
    after = page.next
  }
  return { ...found, complete: false }
}

function authorisationOf(order: OrderRecord, seen: SeenOutput): Authorisation {
  const { inspection, offer } = order.kept
  return {
    orderId: order.id,
    state: order.state,
    reason: order.reason,
    signedPriceSats: signedPrice(offer, null),
    digest: inspection.digest,
    hidden: order.hidden !== undefined,
    firstSeenAt: order.createdAt,
    lastSeenAt: importedAt(order),
    closedAt: order.closedAt,
    ...takingOf(order, seen),
    version: offer.version,
    locktime: offer.locktime,
    sequence: offer.sequences[offer.sellerIndex] ?? 0,
  }
}

/** What ends the authorisations, by the state of the output. */
function noticesOf(output: OutputEvidence): Notice[] {
  if (output.status === 'missing') {
    const message = 'No source has this output or a spend of it: it may still appear.'
    return [{ code: 'OUTPUT_UNKNOWN', message }]
  }
  if (isSpentInBlock(output)) {
    const message =
      'A block spends this output: no authorisation can be used, unless that block is reorganised away.'
    return [{ code: 'ENDED_BY_SPEND', message }]
  }
  const ends: Notice = {
    code: 'ENDS_WHEN_SPENT',
    message:
      'Only a block that spends this output ends its authorisations: a withdrawal does not, and ' +
      'others may exist that were never sent here, or that an inspection refused.',
  }
  if (output.status === 'unspent') return [ends]
  const message =
    'A transaction of the mempool spends this output: until it is in a block, anyone with an ' +
    'authorisation may replace it.'
  return [ends, { code: 'SPENT_IN_MEMPOOL', message }]
}
