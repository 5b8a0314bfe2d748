import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ChangedOrders } from '../../gateway/streaming/changed-orders.ts'
import { QueryFollowers } from '../../gateway/streaming/query-followers.ts'
import { streamChanges } from '../../gateway/streaming/stream-changes.ts'
import { StreamEventData, StreamRequest } from '../../schemas/api/stream.ts'
import { networksOf } from '../client.ts'
import { abortAfter, requestSignal } from '../request-signal.ts'
import { eventStream } from '../streams/event-stream.ts'
import { type PlaceLimits, StreamPlaces } from '../streams/stream-places.ts'
import { whenOver } from '../when-over.ts'
import { BASE, type RouteContext } from './context.ts'

const MEDIA_TYPE = 'text/event-stream'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer does not end by itself: the time limit of answers must not cut it. */
    isStream?: boolean
  }
}

export interface StreamLimits extends PlaceLimits {
  /** A reader that takes nothing for this long is disconnected, milliseconds. */
  unreadMs: number
  /** After this time the stream ends, and its client resumes it, milliseconds. */
  longestMs: number
}

/** Changes as they happen. */
export function streamRoutes(
  app: FastifyInstance,
  { gateway }: RouteContext,
  limits: StreamLimits,
): void {
  const places = new StreamPlaces(limits)
  const sources = { changed: new ChangedOrders(gateway), followers: new QueryFollowers() }
  const stop = new AbortController()
  // Every stream listens to it; Node would report more than ten as a leak.
  setMaxListeners(0, stop.signal)
  // Clients resume at another gateway: no stream may delay the end of this one.
  app.addHook('preClose', async () => stop.abort())

  app.withTypeProvider<ZodTypeProvider>().get(
    `${BASE}/activity/stream`,
    {
      config: { isStream: true },
      schema: {
        operationId: 'streamActivity',
        summary: 'Follow changes as they happen',
        description:
          'Server-sent events. A new stream begins with `snapshot`, the orders that match now; each ' +
          '`change` after it is one change of one order, sent once and in the order of that order’s ' +
          'changes. A client that reconnects with the `id` of its last event as `Last-Event-ID`, as ' +
          'EventSource does, resumes after it, at any gateway. `heartbeat` comes after 10 s without a ' +
          'change. `resync-required` ends a stream that cannot continue without a gap: open a new one. ' +
          'A client that reads nothing for 30 s is disconnected, and a stream ends after an hour. The ' +
          'schema is that of the `data` of each event.',
        tags: ['activity'],
        refusals: ['INVALID_CURSOR', 'ORDER_NOT_FOUND'],
        mediaType: MEDIA_TYPE,
        answerHeaders: [],
        querystring: StreamRequest,
        response: { 200: StreamEventData },
      },
    },
    async (request, typed) => {
      // The schema is that of an event's data, not of the bytes.
      const reply: FastifyReply = typed
      reply.type(MEDIA_TYPE).header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send()
      whenOver(reply, places.take(networksOf(request)))
      const signal = abortAfter(limits.longestMs, requestSignal(reply, stop.signal))
      const lastEventId = request.headers['last-event-id']
      const events = await streamChanges(
        gateway,
        sources,
        { ...request.query, ...(typeof lastEventId === 'string' && { lastEventId }) },
        signal,
      )
      return reply.send(eventStream(events, limits.unreadMs, () => reply.raw.destroy()))
    },
  )
}
