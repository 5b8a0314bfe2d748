import { QueryClient } from '@tanstack/preact-query'
import {
  createMarketClient,
  NetworkError,
  TimeoutError,
  UnexpectedAnswerError,
} from 'psbt-market-client'

/** Retries are the client's own: its final failures are shown. */
export const market = createMarketClient({ baseUrl: location.origin, attempts: 3 })

/** Without a network each request fails at once: a click that waits for one would act unseen, much later. */
const networkMode = 'always'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: false,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
    },
    mutations: { networkMode },
  },
})

/** What went wrong, in a sentence, for a person. */
export function messageOf(error: unknown): string {
  // The texts of these name addresses and methods, which are for programs.
  if (error instanceof NetworkError)
    return 'The service does not answer. Check your connection, and try again.'
  if (error instanceof TimeoutError)
    return 'The service gave no answer in time. Try again in a moment.'
  if (error instanceof UnexpectedAnswerError)
    return 'What answered is not the service, or its answer was cut. Try again in a moment.'
  return error instanceof Error ? error.message : 'The request failed.'
}
