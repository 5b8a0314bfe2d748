import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { StatisticReader } from '../../gateway/reading/read-statistic.ts'
import { LANES } from '../../runtime/lanes.ts'
import type { StatisticRequest } from '../../schemas/api/statistics.ts'
import { linkNext } from '../answers/link-next.ts'
import { DESCRIBED_STATISTICS, statisticOperation } from '../operations/statistics.ts'
import { BASE, type RouteContext, sourceOf } from './context.ts'

/** Statistics of the market, from the history. */
export function statisticRoutes(
  app: FastifyInstance,
  { gateway, stores, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  // A statistic may read a lot: one at a time, when no other read is in progress.
  const reader = new StatisticReader(gateway, (work, source) =>
    stores.history.run(LANES.later, work, { source }),
  )
  for (const name of DESCRIBED_STATISTICS) {
    routes.get(
      `${BASE}/stats/${name}`,
      {
        onRequest: limiters.statistics,
        schema: statisticOperation(name),
      },
      async (request, reply) => {
        const page = await reader.read(name, request.query as StatisticRequest, sourceOf(request))
        linkNext(request, reply, page.nextCursor)
        return page as never
      },
    )
  }
}
