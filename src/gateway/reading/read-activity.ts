import { z } from 'zod'
import { type History, HistoryUnavailableError } from '../../ports/views/history.ts'
import type { ActivityRequest } from '../../schemas/api/api.ts'
import type { ActivityPage } from '../../schemas/order.ts'
import { OrderId, Timestamp } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { activityOf } from '../order/unproved-entry.ts'
import { refuseOffset } from './paging.ts'

/** How long the history may lag behind an order's own page, milliseconds. */
const BEHIND_MS = 3_000
const FIRST_LOOK_MS = 25

const Position = z.strictObject({
  observedAt: Timestamp,
  orderId: OrderId,
  seq: z.int().positive(),
})

/**
 * The lifecycle log, newest first (gateway spec 6): transitions that happened.
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR
 * @throws HistoryUnavailableError
 */
export async function readActivity(
  gateway: Pick<Gateway, 'history' | 'pool' | 'cursors' | 'clock'>,
  { orderId: id, limit, cursor, offset }: ActivityRequest,
): Promise<ActivityPage> {
  refuseOffset(offset)
  const query = JSON.stringify(['activity', id ?? null])
  const after = cursor === undefined ? undefined : gateway.cursors.decode(query, cursor, Position)
  const { data: orderId } = OrderId.safeParse(id)
  if (id !== undefined && orderId === undefined) {
    return { entries: [], limit, nextCursor: '', hasMore: false }
  }
  const rows = { limit, ...(orderId !== undefined && { orderId }), ...(after && { after }) }
  const logged = await gateway.history.activity(rows)
  // The log's entries outrank any that the pool still holds.
  const unproved =
    orderId !== undefined && logged.entries.length === 0
      ? await gateway.pool.find(orderId, gateway.clock.now())
      : null
  const { entries, next } = unproved ? activityOf(unproved, rows) : logged
  const nextCursor = next === null ? '' : gateway.cursors.encode(query, next)
  return { entries: [...entries], limit, nextCursor, hasMore: nextCursor !== '' }
}

/**
 * The history follows the log by a second or two. This waits until it has reached what the order's
 * own page shows, so that the order's activity never lacks a change that the page has.
 *
 * @throws HistoryUnavailableError after 3 s
 */
export async function untilRecorded(
  {
    views,
    history,
    clock,
  }: Pick<Gateway, 'views' | 'clock'> & { history: Pick<History, 'lastSeq'> },
  { orderId: id, cursor }: Pick<ActivityRequest, 'orderId' | 'cursor'>,
): Promise<void> {
  const { data: orderId } = OrderId.safeParse(id)
  if (orderId === undefined || cursor !== undefined) return
  const shown = (await views.order(orderId))?.order.seq ?? 0
  const latest = clock.monotonic() + BEHIND_MS
  for (let restMs = FIRST_LOOK_MS; (await history.lastSeq(orderId)) < shown; restMs *= 2) {
    if (clock.monotonic() + restMs > latest) {
      throw new HistoryUnavailableError('the history has not reached the last change of this order')
    }
    await clock.sleep(restMs)
  }
}
