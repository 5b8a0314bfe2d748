import { QueryClient } from '@tanstack/preact-query'
import { createMarketClient, MarketClientError } from 'psbt-market-client'

/** Retries are the client's own: its final failures are shown. */
export const market = createMarketClient({ baseUrl: location.origin, attempts: 3 })

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true } },
})

/** What went wrong, in a sentence, for a person. */
export const messageOf = (error: unknown): string => {
  if (error instanceof MarketClientError || error instanceof Error) return error.message
  return 'The request failed.'
}
