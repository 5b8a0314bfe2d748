import { z } from 'zod'
import type { ActivityRequest } from '../../schemas/api/api.ts'
import type { ActivityPage } from '../../schemas/order.ts'
import { Hash, Timestamp } from '../../schemas/scalars.ts'
import type { Gateway } from '../gateway.ts'
import { activityOf } from '../intake/unproved-entry.ts'
import { refuseOffset } from './paging.ts'

const Position = z.strictObject({ observedAt: Timestamp, orderId: Hash, seq: z.int().positive() })

/**
 * The lifecycle log, newest first (gateway spec 6): transitions that happened.
 *
 * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR
 * @throws HistoryUnavailableError
 */
export async function readActivity(
  gateway: Gateway,
  { orderId, limit, cursor, offset }: ActivityRequest,
): Promise<ActivityPage> {
  refuseOffset(offset)
  const query = JSON.stringify(['activity', orderId ?? null])
  const after = cursor === undefined ? undefined : gateway.cursors.decode(query, cursor, Position)
  if (orderId !== undefined && !Hash.safeParse(orderId).success) {
    return { entries: [], limit, nextCursor: '', hasMore: false }
  }
  const rows = { limit, ...(orderId !== undefined && { orderId }), ...(after && { after }) }
  const { entries, next } = await gateway.history.activity(rows)
  // The log's entries outrank any that the pool still holds.
  if (orderId !== undefined && entries.length === 0 && !after) {
    const unproved = await gateway.pool.find(orderId, gateway.clock.now())
    const told = unproved ? activityOf(unproved).slice(0, limit) : []
    return { entries: told, limit, nextCursor: '', hasMore: false }
  }
  const nextCursor = next === null ? '' : gateway.cursors.encode(query, next)
  return { entries: [...entries], limit, nextCursor, hasMore: nextCursor !== '' }
}
