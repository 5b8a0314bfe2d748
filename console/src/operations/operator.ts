import { createMarketClient, type MarketClient } from 'market-client'

/** Changes of an operator, and what they alone may read. The token is nowhere but in this client. */
export const operatorClient = (token: string): MarketClient =>
  createMarketClient({ baseUrl: location.origin, token, attempts: 3 })

/** Of everything that was read as an operator: it is forgotten with the token. */
export const OPERATOR = 'operator'

/** An operator may ask ten times a minute: nothing is asked twice by itself, or on a timer. */
export const asked = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
} as const
