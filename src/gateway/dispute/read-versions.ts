import { z } from 'zod'
import { isHeight, parseMoment } from '../../domain/statistics/moment.ts'
import type {
  OrderVersion,
  OrderVersionPage,
  OrderVersionQuery,
} from '../../schemas/dispute/order-version.ts'
import type { UnprovedOrder } from '../../schemas/unproved.ts'
import type { Gateway } from '../gateway.ts'
import { findAny, orderOf } from '../order/read-order.ts'
import { refuseOffset } from '../reading/paging.ts'

const Position = z.strictObject({ seq: z.int().positive() })

/**
 * The versions of an order with their evidence, the first one first, or the one in force at a time
 * or a height. While an operator hides the order its text and its evidence are withheld, except
 * from operators (`showsHidden`).
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR, ORDER_NOT_FOUND
 * @throws HistoryUnavailableError
 */
export async function readVersions(
  gateway: Pick<Gateway, 'views' | 'pool' | 'clock' | 'versions' | 'cursors'>,
  id: string,
  { at, limit, cursor, offset }: OrderVersionQuery,
  { showsHidden }: { showsHidden: boolean },
): Promise<OrderVersionPage> {
  refuseOffset(offset)
  const found = await findAny(gateway, id)
  const { id: orderId } = orderOf(found)
  const query = JSON.stringify(['versions', orderId, at ?? null])
  const after = cursor === undefined ? 0 : gateway.cursors.decode(query, cursor, Position).seq
  const { versions, next } =
    'entry' in found
      ? pageOf(versionsOfPool(found.entry, at), limit, after)
      : await gateway.versions.versions({
          orderId,
          limit,
          after,
          ...(at !== undefined && { at: parseMoment(at) }),
        })
  const isWithheld = orderOf(found).hidden !== undefined && !showsHidden
  const nextCursor = next === null ? '' : gateway.cursors.encode(query, { seq: next })
  return {
    orderId,
    isWithheld,
    versions: isWithheld ? versions.map(withoutText) : [...versions],
    limit,
    nextCursor,
    hasMore: nextCursor !== '',
  }
}

// Scripts of outputs are also bytes that strangers chose, and evidence has the scripts of spenders.
const withoutText = (version: OrderVersion): OrderVersion => ({
  ...version,
  protocolId: null,
  token: null,
  evidence: null,
})

const pageOf = (all: readonly OrderVersion[], limit: number, after: number) => {
  const left = all.filter(({ seq }) => seq > after)
  const versions = left.slice(0, limit)
  return { versions, next: left.length > limit ? (versions.at(-1)?.seq ?? null) : null }
}

/**
 * What the pool has of an order that is not proved: states and times, and its current labels. The
 * pool stores no heights, so there is no version at a height.
 */
function versionsOfPool({ order, changes }: UnprovedOrder, at?: string): OrderVersion[] {
  const times = changes.map(({ observedAt }) => observedAt)
  const reached = times.map(
    (time, index) =>
      times
        .slice(0, index + 1)
        .sort()
        .at(-1) ?? time,
  )
  const all = changes.map(
    (change, index): OrderVersion => ({
      seq: index + 1,
      kind: 'transition',
      fromState: change.fromState,
      state: change.toState,
      reason: change.reason,
      actor: change.actor,
      cause: null,
      observedAt: change.observedAt,
      inForceFrom: reached[index] ?? change.observedAt,
      inForceUntil: reached[index + 1] ?? null,
      outpoint: order.outpoint,
      protocolId: order.protocolId ?? null,
      token: order.token ?? null,
      side: order.side ?? null,
      quotedPriceSats: order.quotedPriceSats ?? null,
      inscriptionIds: order.assets.map(({ inscriptionId }) => inscriptionId),
      spendTxid: order.spend?.txid ?? null,
      spendHeight: order.spend?.block?.height ?? null,
      settlementTxid: order.settlement?.txid ?? null,
      evidence: null,
      hash: null,
      prevHash: null,
    }),
  )
  if (at === undefined) return all
  if (isHeight(at)) return []
  return all.filter(
    ({ inForceFrom, inForceUntil }) =>
      inForceFrom <= at && (inForceUntil === null || inForceUntil > at),
  )
}
