import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { statisticFacts } from '../../gateway/reading/read-statistic.ts'
import {
  STATISTIC_PAGING,
  STATISTIC_PARAMETERS,
  STATISTIC_ROWS,
  statisticPage,
  TO_NOW,
} from '../../schemas/api/statistics.ts'

/** The id of each statistic's operation. */
const OPERATIONS = {
  market: 'readMarketNow',
  depth: 'readDepth',
  book: 'readBook',
  volume: 'readVolume',
  floor: 'listFloors',
  candles: 'listCandles',
  sales: 'listSales',
  inscription: 'readInscriptionLife',
  transaction: 'readTransactionEffects',
  sellers: 'listSellers',
  'time-to-settle': 'readTimeToSettle',
  conflicts: 'listConflicts',
  verdicts: 'listVerdicts',
  sources: 'listSources',
} as const satisfies Record<keyof typeof STATISTIC_ROWS, string>

export const DESCRIBED_STATISTICS = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]

/** A statistic: a view of the history, by its filters and columns. */
export function statisticOperation(name: keyof typeof OPERATIONS) {
  const { says, filters, needs, isOfARange, hasFrom, endsNow, over } = statisticFacts(name)
  const { from, to, ...all } = STATISTIC_PARAMETERS
  const taken = Object.fromEntries(filters.map((filter) => [filter, all[filter]]))
  const querystring = z.object({
    ...taken,
    ...(hasFrom && { from }),
    ...(isOfARange && { to: endsNow ? TO_NOW : to }),
    ...STATISTIC_PAGING,
  })
  const source = over
    ? `Computed from \`${over}\` of the history`
    : `The rows of the view \`stats_${name.replaceAll('-', '_')}\` of the history, by its columns`
  return {
    operationId: OPERATIONS[name],
    summary: says,
    description:
      `${source}: whole numbers of 64 bits are decimal text. The history follows the log by a second or ` +
      'two, and an answer may be 5 s old.' +
      (needs.length > 0 ? ` Refused unless it names ${needs.join(' or ')}.` : ''),
    tags: ['statistics'],
    refusals: ['OFFSET_NOT_SUPPORTED', 'INVALID_CURSOR', 'HISTORY_UNAVAILABLE'],
    querystring,
    response: { 200: statisticPage(STATISTIC_ROWS[name]) },
  } satisfies FastifySchema
}
