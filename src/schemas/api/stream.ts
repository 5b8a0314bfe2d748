import { z } from 'zod'
import { ActivityEntry, OrderSummary } from '../order.ts'
import { OrderId, OrderIdInput, Timestamp } from '../scalars.ts'
import { ListOrdersQuery } from './api.ts'

/** The filters of a list, or one order. */
export const StreamRequest = ListOrdersQuery.omit({ sort: true, cursor: true, offset: true })
  .extend({
    orderId: OrderIdInput.exactOptional().describe(
      'only the changes of this order; excludes other filters',
    ),
    limit: ListOrdersQuery.shape.limit.describe(
      'orders in the snapshot, newest first: 1 to 200, 50 by default',
    ),
    cursor: z
      .string()
      .exactOptional()
      .describe('the `id` of the last event received, for a client that cannot send Last-Event-ID'),
  })
  .describe('Unknown parameters are ignored, except misspelt ones.')
export type StreamRequest = z.infer<typeof StreamRequest>

/** `snapshot`: what a new stream begins with. Changes after it follow, and none before it. */
export const StreamSnapshot = z
  .strictObject({
    orders: z.array(OrderSummary).describe('orders that match, newest first'),
    total: z.int().nonnegative().describe('number of orders that match, listed here or not'),
    hasMore: z.boolean().describe('whether more match than are listed here'),
  })
  .describe('The orders that match now, newest first.')
export type StreamSnapshot = z.infer<typeof StreamSnapshot>

/** `change`: one change of one order. */
export const StreamChange = z
  .strictObject({
    orderId: OrderId.describe('the order that changed'),
    seq: z.int().positive().describe('number of the change among the changes of its order, from 1'),
    observedAt: Timestamp.describe('when the change was observed'),
    entry: ActivityEntry.nullable().describe(
      'the change of state, as in the activity; null if the state is unchanged',
    ),
    order: OrderSummary.nullable().describe(
      'the order as it is when this is sent, at this change or a later one; null if the filters do not list it (any longer)',
    ),
  })
  .describe('One change of one order.')
export type StreamChange = z.infer<typeof StreamChange>

/** `heartbeat`: nothing changed. Its id is a newer place to resume from. */
export const StreamHeartbeat = z
  .strictObject({ at: Timestamp.describe('when it was sent') })
  .describe('Nothing changed; its id is a place to resume from.')
export type StreamHeartbeat = z.infer<typeof StreamHeartbeat>

/** Why a stream cannot continue without a gap. */
export const RESYNC_REASONS = ['too_old', 'other_log', 'views_behind'] as const

/** `resync-required`: the last event; the client must begin a new stream, with its snapshot. */
export const StreamEnd = z
  .strictObject({
    reason: z.enum(RESYNC_REASONS).describe('why the stream cannot continue without a gap'),
  })
  .describe(
    'The stream ends, since it cannot continue without a gap: begin again without a cursor. `too_old`: more changes happened since than are kept; `other_log`: the cursor is from another log; `views_behind`: the order views have not caught up.',
  )
export type StreamEnd = z.infer<typeof StreamEnd>

/** The data of any event. */
export const StreamEventData = z.union([StreamSnapshot, StreamChange, StreamHeartbeat, StreamEnd])
