import { createMarketClient, type MarketClient } from 'psbt-market-client'

/** Changes by an operator, and what only they may read. The token is only in this client. */
export const operatorClient = (token: string): MarketClient =>
  createMarketClient({ baseUrl: location.origin, token, attempts: 3 })

/** Everything read as an operator: it is forgotten with the token. */
export const OPERATOR = 'operator'

/** An operator may send ten requests a minute: nothing is retried automatically, or polled. */
export const asked = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
} as const
