import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  type BoundStatistic,
  boundStatistic,
  STATISTICS,
  type StatisticBounds,
  type StatisticName,
} from '../../domain/statistics/statistics.ts'
import { withAddresses } from '../../domain/statistics/with-addresses.ts'
import type { StatisticRows, Statistics } from '../../ports/views/statistics.ts'
import type { StatisticRequest } from '../../schemas/api/statistics.ts'
import type { Gateway } from '../gateway.ts'
import { sellerScript } from '../order/seller-script.ts'
import { RefusalError } from '../refusal.ts'
import { refuseOffset } from './paging.ts'

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

/** Statistics from the history; equal concurrent requests are read once. */
export class StatisticReader {
  readonly #gateway: Pick<Gateway, 'cursors' | 'clock' | 'settings'>
  readonly #statistics: Pick<Statistics, 'rows'>
  readonly #kept = new LRUCache<string, Promise<StatisticRows>>({ max: MAX_CACHED, ttl: CACHED_MS })

  constructor(
    gateway: Pick<Gateway, 'cursors' | 'clock' | 'settings'>,
    statistics: Pick<Statistics, 'rows'>,
  ) {
    this.#gateway = gateway
    this.#statistics = statistics
  }

  /**
   * A page of a statistic.
   *
   * @throws RefusalError OFFSET_NOT_SUPPORTED, INVALID_CURSOR, VALIDATION_FAILED with the bound
   * @throws HistoryUnavailableError
   */
  async read(name: StatisticName, request: StatisticRequest): Promise<StatisticAnswer> {
    const { limit, cursor, offset, from, to, seller, ...others } = request
    refuseOffset(offset)
    const { cursors, clock, settings } = this.#gateway
    const asked = { ...others, ...(seller && { seller: sellerScript(seller, settings.network) }) }
    const times = { ...(from && { from }), ...(to && { to }) }
    const query = JSON.stringify(['statistic', name, Object.entries({ ...asked, ...times }).sort()])
    const after = cursor === undefined ? undefined : cursors.decode(query, cursor, Position)
    // The default range moves with the time: all pages of one answer must have the same range.
    const range = after ? (after.range ?? {}) : times
    const question = { name, ...asked, ...range }
    const bound = boundStatistic(question, clock.now(), { isLaterPage: after !== undefined })
    if ('refused' in bound) throw new RefusalError('VALIDATION_FAILED', bound.refused)
    const { rows, next } = await this.#rows(bound, limit, after?.key)
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

  #rows(bound: BoundStatistic, limit: number, after?: readonly string[]): Promise<StatisticRows> {
    const name = JSON.stringify([bound, limit, after])
    const known = this.#kept.get(name)
    if (known) return known
    const reading = this.#statistics.rows(bound, { limit, ...(after && { after }) })
    this.#kept.set(name, reading)
    reading.catch(() => {
      if (this.#kept.peek(name) === reading) this.#kept.delete(name)
    })
    return reading
  }
}
