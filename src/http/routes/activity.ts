import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { readActivity, untilRecorded } from '../../gateway/reading/read-activity.ts'
import type { OrderId } from '../../schemas/scalars.ts'
import { linkNext } from '../answers/link-next.ts'
import { ACTIVITY_OPERATIONS } from '../operations/activity.ts'
import { BASE, laneOfPage, type RouteContext } from './context.ts'

/** The lifecycle log (gateway spec 6). */
export function activityRoutes(app: FastifyInstance, { gateway, stores }: RouteContext): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      `${BASE}/activity`,
      { schema: ACTIVITY_OPERATIONS.listActivity },
      async (request, reply) => {
        const read = <T>(work: () => Promise<T>) =>
          stores.history.run(laneOfPage(request.query), work)
        // Only its look-ups take a place in the lane: others are read while it waits.
        const lastSeq = (orderId: OrderId) => read(() => gateway.history.lastSeq(orderId))
        await untilRecorded({ ...gateway, history: { lastSeq } }, request.query)
        const page = await read(() => readActivity(gateway, request.query))
        linkNext(request, reply, page.nextCursor)
        return page
      },
    )
}
