import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { openStream, type StreamReads } from '../../gateway/streaming/open-stream.ts'
import { StreamFeed } from '../../gateway/streaming/stream-feed.ts'
import { UnavailableError } from '../../ports/base-errors.ts'
import { LANES } from '../../runtime/lanes.ts'
import { StreamEventData, StreamRequest } from '../../schemas/api/stream.ts'
import { networksOf } from '../clients/client.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { whenOver } from '../requests/when-over.ts'
import { PushedAnswer, type PushedLimits } from '../streams/pushed-answer.ts'
import { type PlaceLimits, StreamPlaces } from '../streams/stream-places.ts'
import { BASE, laneOfPage, type RouteContext } from './context.ts'

const MEDIA_TYPE = 'text/event-stream'

/** How often connections are looked at, at the least, milliseconds. */
const ATTEND_MS = 2_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer does not end by itself: the time limit of answers must not cut it. */
    isStream?: boolean
  }
}

export interface StreamLimits extends PlaceLimits, PushedLimits {}

/** Changes as they happen. */
export function streamRoutes(
  app: FastifyInstance,
  { gateway, limiters, stores }: RouteContext,
  limits: StreamLimits,
): void {
  const places = new StreamPlaces(limits)
  const feed = new StreamFeed(gateway, Math.min(ATTEND_MS, limits.unreadMs / 4))
  const readsFor = (query: StreamRequest): StreamReads => ({
    snapshot: (work) =>
      query.orderId === undefined
        ? stores.views.run(laneOfPage(query), work)
        : stores.orders.run(LANES.first, work),
    // What this stream alone reads gives way to all that others share.
    replay: (work) => stores.views.run(LANES.later, work),
  })
  const logOnce = failureLog()
  const stop = new AbortController()
  // Every stream listens to it; Node would report more than ten as a leak.
  setMaxListeners(0, stop.signal)
  // Clients resume at another gateway: no stream may delay the end of this one.
  app.addHook('preClose', async () => stop.abort())

  app.withTypeProvider<ZodTypeProvider>().get(
    `${BASE}/activity/stream`,
    {
      config: { isStream: true },
      onRequest: limiters.stream,
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
      let answer: PushedAnswer | null = null
      const holder = {
        isIdle: () => answer?.isIdle ?? false,
        end: () => (answer ? answer.end() : reply.raw.destroy()),
      }
      whenOver(reply, places.take(networksOf(request), holder))
      const signal = requestSignal(reply, stop.signal)
      const lastEventId = request.headers['last-event-id']
      const begin = await openStream(
        feed,
        { ...request.query, ...(typeof lastEventId === 'string' && { lastEventId }) },
        readsFor(request.query),
        signal,
      )
      const holdUnread = (bytes: number) => reply.holdUnread(bytes)
      const onFailure = (error: unknown) => logOnce(error, request)
      const options = { clock: gateway.clock, limits, begin, holdUnread, onFailure }
      answer = new PushedAnswer(reply.raw, options)
      return reply.send(answer.body)
    },
  )
}

/** One failure ends many streams: it has one line, and none if a part is away that has its own. */
function failureLog(): (error: unknown, request: Pick<FastifyRequest, 'log'>) => void {
  const logged = new WeakSet<WeakKey>()
  return (error, { log }) => {
    if (UnavailableError.outsidePartOf(error) || !(error instanceof Error) || logged.has(error))
      return
    logged.add(error)
    log.error({ err: error }, 'streams failed')
  }
}
