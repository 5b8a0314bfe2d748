import type { FastifySchema } from 'fastify'
import { ActivityRequest } from '../../schemas/api/api.ts'
import { StreamEventData, StreamRequest } from '../../schemas/api/stream.ts'
import { ActivityPage } from '../../schemas/order.ts'

export const EVENT_STREAM = 'text/event-stream'

/** The lifecycle log, and changes as they happen. */
export const ACTIVITY_OPERATIONS = {
  listActivity: {
    operationId: 'listActivity',
    summary: 'List the activity, newest first',
    description:
      'The lifecycle log: every change of state, with its reason and who caused it. ' +
      'A malformed or unknown order id has no entries.',
    tags: ['activity'],
    refusals: ['OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR', 'HISTORY_UNAVAILABLE'],
    querystring: ActivityRequest,
    response: { 200: ActivityPage },
  },
  streamActivity: {
    operationId: 'streamActivity',
    summary: 'Follow changes as they happen',
    description:
      'Server-sent events. A new stream begins with `snapshot`, the orders that match now; each ' +
      '`change` after it is one change of one order, sent once and in the order of that order’s ' +
      'changes. A client that reconnects with the `id` of its last event as `Last-Event-ID`, as ' +
      'EventSource does, resumes after it, at any gateway. `heartbeat` comes after 10 s without a ' +
      'change. `resync-required` ends a stream that cannot continue without a gap: open a new one. ' +
      'A client that reads nothing for 30 s is disconnected, and so is one whose key ends; a stream ' +
      'ends after an hour. The schema is that of the `data` of each event.',
    tags: ['activity'],
    refusals: ['INVALID_CURSOR', 'ORDER_NOT_FOUND'],
    mediaType: EVENT_STREAM,
    answerHeaders: [],
    querystring: StreamRequest,
    response: { 200: StreamEventData },
  },
} satisfies Record<string, FastifySchema>
