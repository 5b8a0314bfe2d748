import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { readActivity } from '../../gateway/read-activity.ts'
import { ActivityRequest } from '../../schemas/api.ts'
import { ActivityPage } from '../../schemas/order.ts'
import { linkNext } from '../link-next.ts'
import { BASE, type RouteContext } from './context.ts'

/** The lifecycle log (spec 6). */
export function activityRoutes(app: FastifyInstance, { gateway }: RouteContext): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      `${BASE}/activity`,
      { schema: { querystring: ActivityRequest, response: { 200: ActivityPage } } },
      async (request, reply) => {
        const page = await readActivity(gateway, request.query)
        linkNext(request, reply, page.nextCursor)
        return page
      },
    )
}
