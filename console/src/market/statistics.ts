import { hashKey, keepPreviousData, useQuery } from '@tanstack/preact-query'
import { market } from '../api/market.ts'

// Seven statistics at once, of the 30 a minute that a client may ask for.
const EVERY_MS = 30_000

export interface Chosen {
  protocol: string | null
  token: string | null
}

/** As the API names them. */
export const filtersOf = ({ protocol, token }: Chosen) => ({
  ...(protocol && { protocol }),
  ...(token && { token }),
})

export type Interval = 'hour' | 'day' | 'week'

const MAX_MARKETS = 100
const MAX_POINTS = 1_000
const NEWEST_SALES = 25

const again = { refetchInterval: EVERY_MS } as const

/** Prices of another market are never shown as prices of this one, however short. */
const ofSameMarket =
  (chosen: Chosen) =>
  <Answer>(before: Answer | undefined, query?: { queryKey: readonly unknown[] }) =>
    query && hashKey([query.queryKey[2]]) === hashKey([chosen]) ? before : undefined

export const useMarkets = (chosen: Chosen) =>
  useQuery({
    queryKey: ['statistics', 'market', chosen],
    queryFn: ({ signal }) =>
      market.get('/api/market/stats/market', {
        query: { ...filtersOf(chosen), limit: MAX_MARKETS },
        signal,
      }),
    // Each row names its market.
    placeholderData: keepPreviousData,
    ...again,
  })

export const useVolume = (chosen: Chosen) =>
  useQuery({
    queryKey: ['statistics', 'volume', chosen],
    queryFn: ({ signal }) =>
      market.get('/api/market/stats/volume', { query: filtersOf(chosen), signal }),
    ...again,
  })

/** Refused by the service unless a market or a token is named. `interval`: that of its rows. */
export const useFloor = (chosen: Chosen, interval: Interval) =>
  useQuery({
    queryKey: ['statistics', 'floor', chosen, interval],
    queryFn: async ({ signal }) => {
      const query = { ...filtersOf(chosen), interval, limit: MAX_POINTS }
      return { ...(await market.get('/api/market/stats/floor', { query, signal })), interval }
    },
    placeholderData: ofSameMarket(chosen),
    ...again,
  })

/** Refused by the service unless a market or a token is named. */
export const useDepth = (chosen: Chosen) =>
  useQuery({
    queryKey: ['statistics', 'depth', chosen],
    queryFn: ({ signal }) =>
      market.get('/api/market/stats/depth', {
        query: { ...filtersOf(chosen), limit: MAX_POINTS },
        signal,
      }),
    ...again,
  })

/** `interval`: that of its rows. */
export const useCandles = (chosen: Chosen, interval: Interval) =>
  useQuery({
    queryKey: ['statistics', 'candles', chosen, interval],
    queryFn: async ({ signal }) => {
      const query = { ...filtersOf(chosen), interval, limit: MAX_POINTS }
      return { ...(await market.get('/api/market/stats/candles', { query, signal })), interval }
    },
    placeholderData: ofSameMarket(chosen),
    ...again,
  })

export const useSales = (chosen: Chosen) =>
  useQuery({
    queryKey: ['statistics', 'sales', chosen],
    queryFn: ({ signal }) =>
      market.get('/api/market/stats/sales', {
        query: { ...filtersOf(chosen), limit: NEWEST_SALES },
        signal,
      }),
    ...again,
  })

export const useSources = () =>
  useQuery({
    queryKey: ['statistics', 'sources'],
    queryFn: ({ signal }) =>
      market.get('/api/market/stats/sources', { query: { limit: MAX_MARKETS }, signal }),
    ...again,
  })

export type MarketRow = NonNullable<ReturnType<typeof useMarkets>['data']>['rows'][number]
export type VolumeRow = NonNullable<ReturnType<typeof useVolume>['data']>['rows'][number]
export type FloorRow = NonNullable<ReturnType<typeof useFloor>['data']>['rows'][number]
export type DepthRow = NonNullable<ReturnType<typeof useDepth>['data']>['rows'][number]
export type SaleRow = NonNullable<ReturnType<typeof useSales>['data']>['rows'][number]
export type CandleRow = NonNullable<ReturnType<typeof useCandles>['data']>['rows'][number]
