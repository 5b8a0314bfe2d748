import type { FastifyRequest } from 'fastify'
import type { Gateway } from '../../gateway/gateway.ts'
import { type Caller, LANES, type Lane } from '../../runtime/lanes.ts'
import type { ListOrdersQuery } from '../../schemas/api/api.ts'
import { networksOf } from '../clients/client.ts'
import { accountOfRequest } from '../clients/customers.ts'
import { operatorKey } from '../clients/operators.ts'
import type { Queues } from '../limits/queues.ts'
import type { Limiters } from '../limits/rate-limits.ts'

/** What the market's routes need. */
export interface RouteContext extends Queues {
  gateway: Gateway
  /** Aborted when waits must end because the service is stopping. */
  signal: AbortSignal
  limiters: Limiters
}

/** Gateway spec 1: the prefix of every market route. */
export const BASE = '/api/market'

/** The most rows for a page that is built in a few milliseconds. */
const SMALL_PAGE = 50
/**
 * Filters whose values are few, so that the matches of their lists are cached, or that name the orders.
 * With any other filter a page may be a pass over all orders, however few it shows.
 */
const OF_CACHED_MATCHES: ReadonlySet<string> = new Set<keyof ListOrdersQuery>([
  ...(['protocol', 'group', 'source', 'state', 'states', 'safety', 'orderClass'] as const),
  ...(['signature', 'side', 'assetInscriptionId', 'assetOutpoint', 'includeWithdrawn'] as const),
  ...(['sort', 'limit', 'cursor', 'offset'] as const),
])

/** Small pages go first: a flood of large ones delays them by one large page. */
export const laneOfPage = ({ limit }: { limit: number }): Lane =>
  limit <= SMALL_PAGE ? LANES.first : LANES.later

/** Small pages of lists whose matches are cached go first. */
export const laneOfList = (query: { limit: number }): Lane =>
  Object.keys(query).every((name) => OF_CACHED_MATCHES.has(name)) ? laneOfPage(query) : LANES.later

/** Who takes turns with others in a lane: an operator, a customer, or all strangers of a network. */
export const sourceOf = (request: FastifyRequest): string =>
  operatorKey(request) ??
  (request.customer ? accountOfRequest(request) : (networksOf(request).at(-1) ?? ''))

/** Who waits in a lane: its turn is passed over once its connection has ended. */
export const callerOf = (request: FastifyRequest): Caller => ({
  source: sourceOf(request),
  hasLeft: () => request.raw.socket.destroyed,
})
