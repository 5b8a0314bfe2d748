import type { Gateway } from '../../gateway/gateway.ts'
import { LANES, type Lane } from '../../runtime/lanes.ts'
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

/** Small pages go first: a flood of large ones delays them by one large page. */
export const laneOfPage = ({
  limit,
  search,
}: {
  limit: number
  search?: string | undefined
}): Lane => (limit <= SMALL_PAGE && search === undefined ? LANES.first : LANES.later)
