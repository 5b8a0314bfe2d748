import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { readActivity, untilRecorded } from '../../gateway/reading/read-activity.ts'
import { openStream, type StreamReads } from '../../gateway/streaming/open-stream.ts'
import { StreamFeed } from '../../gateway/streaming/stream-feed.ts'
import { UnavailableError } from '../../ports/base-errors.ts'
import { type Caller, LANES } from '../../runtime/lanes.ts'
import type { StreamRequest } from '../../schemas/api/stream.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { linkNext } from '../answers/link-next.ts'
import { PushedAnswer, type PushedLimits } from '../answers/pushed-answer.ts'
import { networksOf } from '../clients/client.ts'
import { accountOfRequest } from '../clients/customers.ts'
import { FairSlots, type SlotHolder, type SlotLimits } from '../limits/fair-slots.ts'
import { limitedCustomer } from '../limits/key-limits.ts'
import { ACTIVITY_OPERATIONS, EVENT_STREAM } from '../operations/activity.ts'
import { requestSignal } from '../requests/request-signal.ts'
import { whenOver } from '../requests/when-over.ts'
import { BASE, callerOf, laneOfList, laneOfPage, type RouteContext } from './context.ts'

/** How often connections are looked at, at the least, milliseconds. */
const ATTEND_MS = 2_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer does not end by itself: the time limit of answers must not cut it. */
    isStream?: boolean
  }
}

export interface StreamLimits extends SlotLimits, PushedLimits {}

/** The lifecycle log (gateway spec 6). */
export function activityRoutes(app: FastifyInstance, { gateway, stores }: RouteContext): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      `${BASE}/activity`,
      { schema: ACTIVITY_OPERATIONS.listActivity },
      async (request, reply) => {
        const read = <T>(work: () => Promise<T>) =>
          stores.history.run(laneOfPage(request.query), work, callerOf(request))
        // Only its look-ups take a slot of the lane: others are read while it waits.
        const lastSeq = (orderId: OrderId) => read(() => gateway.history.lastSeq(orderId))
        await untilRecorded({ ...gateway, history: { lastSeq } }, request.query)
        const page = await read(() => readActivity(gateway, request.query))
        linkNext(request, reply, page.nextCursor)
        return page
      },
    )
}

export interface StreamParts {
  limits: StreamLimits
  /** Places of all customers of this gateway together. */
  keyStreams: number
  /** Is the key of a request still accepted? Asked again and again while its stream is open. */
  isAccepted(request: FastifyRequest): boolean
}

/** Changes as they happen. */
export function streamRoutes(
  app: FastifyInstance,
  { gateway, limiters, stores }: RouteContext,
  { limits, keyStreams, isAccepted }: StreamParts,
): void {
  const takePlace = placesOf(limits, keyStreams)
  const feed = new StreamFeed(gateway, Math.min(ATTEND_MS, limits.unreadMs / 4))
  const readsFor = (query: StreamRequest, caller: Caller): StreamReads => ({
    snapshot: (work) =>
      query.orderId === undefined
        ? stores.views.run(laneOfList(query), work, caller)
        : stores.orders.run(LANES.first, work, caller),
    // What this stream alone reads gives way to all that others share.
    replay: (work) => stores.views.run(LANES.later, work, caller),
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
      schema: ACTIVITY_OPERATIONS.streamActivity,
    },
    async (request, typed) => {
      // The schema is that of an event's data, not of the bytes.
      const reply: FastifyReply = typed
      reply.type(EVENT_STREAM).header('x-accel-buffering', 'no')
      if (request.method === 'HEAD') return reply.send()
      let answer: PushedAnswer | null = null
      const holder = {
        isIdle: () => answer?.isIdle ?? false,
        end: () => (answer ? answer.end() : reply.raw.destroy()),
      }
      whenOver(reply, takePlace(request, holder))
      const signal = requestSignal(reply, stop.signal)
      const lastEventId = request.headers['last-event-id']
      const begin = await openStream(
        feed,
        { ...request.query, ...(typeof lastEventId === 'string' && { lastEventId }) },
        readsFor(request.query, callerOf(request)),
        signal,
      )
      const holdUnread = (bytes: number) => reply.holdUnread(bytes)
      const onFailure = (error: unknown) => logOnce(error, request)
      const mayRead = () => isAccepted(request)
      const options = { clock: gateway.clock, limits, begin, mayRead, holdUnread, onFailure }
      answer = new PushedAnswer(reply.raw, options)
      return reply.send(answer.body)
    },
  )
}

/** Customers have places of their own: they take none from others. */
function placesOf(limits: StreamLimits, keyStreams: number) {
  const ofStrangers = new FairSlots('streams', limits)
  const ofCustomers = new FairSlots('streams', { ...limits, inAll: keyStreams })
  return (request: FastifyRequest, holder: SlotHolder): (() => void) => {
    const tier = limitedCustomer(request)?.tier
    return tier
      ? ofCustomers.take([accountOfRequest(request)], holder, tier.streams)
      : ofStrangers.take(networksOf(request), holder)
  }
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
