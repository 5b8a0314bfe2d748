import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  boundStatistic,
  STATISTICS,
  type StatisticBounds,
  type StatisticName,
} from '../../domain/statistics/statistics.ts'
import { withAddresses } from '../../domain/statistics/with-addresses.ts'
import type { StatisticRows } from '../../ports/views/statistics.ts'
import type { StatisticRequest } from '../../schemas/api/statistics.ts'
import type { Gateway } from '../gateway.ts'
import { sellerScript } from '../order/seller-script.ts'
import { RefusalError } from '../refusal.ts'
import { refuseOffset } from './paging.ts'
import { type QueuedRead, SharedReads } from './shared-reads.ts'

/** Requests for the same page within this time share one answer, milliseconds. */
const CACHED_MS = 5_000
const MAX_CACHED = 64

const Position = z.strictObject({
  key: z.array(z.string()),
  range: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
})

export interface StatisticAnswer {
  from: string | null
  to: string | null
  rows: StatisticRows['rows']
  limit: number
  nextCursor: string
  hasMore: boolean
}

/** What a statistic is about, and which filters it takes. */
export const statisticFacts = (name: StatisticName) => {
  const { needs = [], days, isFixed, ...bounds }: StatisticBounds = STATISTICS[name]
  const isOfARange = days !== undefined
  return { ...bounds, needs, isOfARange, hasFrom: isOfARange && !isFixed }
}

/** Statistics from the history. */
export class StatisticReader {
  readonly #gateway: Pick<Gateway, 'cursors' | 'clock' | 'settings' | 'statistics'>
  readonly #reads: SharedReads<StatisticRows>

  constructor(
    gateway: Pick<Gateway, 'cursors' | 'clock' | 'settings' | 'statistics'>,
    queued: QueuedRead,
  ) {
    this.#gateway = gateway
    this.#reads = new SharedReads(new LRUCache({ max: MAX_CACHED, ttl: CACHED_MS }), queued)
  }

  /**
   * A page of a statistic.
   *
   * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR, VALIDATION_FAILED with the bound
   * @throws HistoryUnavailableError
   */
  async read(
    name: StatisticName,
    request: StatisticRequest,
    source: string,
  ): Promise<StatisticAnswer> {
    const { limit, cursor, offset, from, to, seller, ...others } = request
    refuseOffset(offset)
    const { cursors, clock, settings, statistics } = this.#gateway
    const asked = { ...others, ...(seller && { seller: sellerScript(seller, settings.network) }) }
    const times = { ...(from && { from }), ...(to && { to }) }
    const query = JSON.stringify(['statistic', name, Object.entries({ ...asked, ...times }).sort()])
    const after = cursor === undefined ? undefined : cursors.decode(query, cursor, Position)
    // The default range moves with the time: all pages of one answer must have the same range.
    const range = after ? (after.range ?? {}) : times
    const question = { name, ...asked, ...range }
    const bound = boundStatistic(question, clock.now(), { isLaterPage: after !== undefined })
    if ('refused' in bound) throw new RefusalError('VALIDATION_FAILED', bound.refused)
    const page = { limit, ...(after && { after: after.key }) }
    const { rows, next } = await this.#reads.read(JSON.stringify([bound, page]), source, () =>
      statistics.rows(bound, page),
    )
    const position = next && { key: [...next], range: bound.range }
    const nextCursor = position ? cursors.encode(query, position) : ''
    const { from: begins = null, to: ends = null } = bound.range ?? {}
    return {
      from: begins,
      to: ends,
      rows: withAddresses(rows, settings.network),
      limit,
      nextCursor,
      hasMore: nextCursor !== '',
    }
  }
}
