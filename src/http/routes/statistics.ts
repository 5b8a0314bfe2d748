import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { StatisticReader, statisticFacts } from '../../gateway/reading/read-statistic.ts'
import { LANES } from '../../runtime/lanes.ts'
import {
  STATISTIC_PAGING,
  STATISTIC_PARAMETERS,
  STATISTIC_ROWS,
  type StatisticRequest,
  statisticPage,
} from '../../schemas/api/statistics.ts'
import { linkNext } from '../answers/link-next.ts'
import { BASE, type RouteContext } from './context.ts'

/** The id of each statistic's operation. */
const OPERATIONS = {
  market: 'readMarketNow',
  depth: 'readDepth',
  book: 'readBook',
  candles: 'listCandles',
  sales: 'listSales',
  inscription: 'readInscriptionLife',
  sellers: 'listSellers',
  'time-to-settle': 'readTimeToSettle',
  conflicts: 'listConflicts',
  verdicts: 'listVerdicts',
  sources: 'listSources',
} as const satisfies Record<keyof typeof STATISTIC_ROWS, string>

/** Statistics of the market, from the history. */
export function statisticRoutes(
  app: FastifyInstance,
  { gateway, stores, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  // A statistic may read a lot: one at a time, when no other read is in progress.
  const statistics: typeof gateway.statistics = {
    rows: (...question) =>
      stores.history.run(LANES.later, () => gateway.statistics.rows(...question)),
  }
  const reader = new StatisticReader(gateway, statistics)
  for (const name of Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]) {
    const { says, filters, needs, isOfARange } = statisticFacts(name)
    const { from, to, ...all } = STATISTIC_PARAMETERS
    const taken = Object.fromEntries(filters.map((filter) => [filter, all[filter]]))
    const querystring = z.object({ ...taken, ...(isOfARange && { from, to }), ...STATISTIC_PAGING })
    routes.get(
      `${BASE}/stats/${name}`,
      {
        onRequest: limiters.statistics,
        schema: {
          operationId: OPERATIONS[name],
          summary: says,
          description:
            `The rows of the view \`stats_${name.replaceAll('-', '_')}\` of the history, by its columns: whole ` +
            'numbers of 64 bits are decimal text. The history follows the log by a second or two, and an ' +
            'answer may be 5 s old.' +
            (needs.length > 0 ? ` Refused unless it names ${needs.join(' or ')}.` : ''),
          tags: ['statistics'],
          refusals: ['OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR', 'HISTORY_UNAVAILABLE'],
          querystring,
          response: { 200: statisticPage(STATISTIC_ROWS[name]) },
        },
      },
      async (request, reply) => {
        const page = await reader.read(name, request.query as StatisticRequest)
        linkNext(request, reply, page.nextCursor)
        return page as never
      },
    )
  }
}
