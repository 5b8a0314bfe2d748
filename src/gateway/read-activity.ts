import { z } from 'zod'
import { type ActivityPosition, type ActivityRows, HistoryUnavailable } from '../ports/history.ts'
import type { ActivityRequest } from '../schemas/api.ts'
import type { ActivityPage } from '../schemas/order.ts'
import { Hash, Timestamp } from '../schemas/scalars.ts'
import type { Gateway } from './gateway.ts'
import { refuseOffset } from './paging.ts'
import { Refusal } from './refusal.ts'

const Position = z.strictObject({ observedAt: Timestamp, orderId: Hash, seq: z.int().positive() })

/**
 * The lifecycle log, newest first (spec 6): transitions that happened.
 *
 * @throws Refusal OFFSET_NOT_SUPPORTED, INVALID_CURSOR, HISTORY_UNAVAILABLE
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
  const { entries, next } = await ask(gateway, { orderId, limit, after })
  const nextCursor = next === null ? '' : gateway.cursors.encode(query, next)
  return { entries: [...entries], limit, nextCursor, hasMore: nextCursor !== '' }
}

async function ask(
  { history }: Gateway,
  query: { orderId: string | undefined; limit: number; after: ActivityPosition | undefined },
): Promise<ActivityRows> {
  const { orderId, limit, after } = query
  try {
    return await history.activity({ limit, ...(orderId && { orderId }), ...(after && { after }) })
  } catch (cause) {
    if (!(cause instanceof HistoryUnavailable)) throw cause
    throw new Refusal('HISTORY_UNAVAILABLE', `the activity log is away: ${cause.message}`, {
      cause,
    })
  }
}
