import { useQuery } from '@tanstack/preact-query'
import { market } from './market.ts'

/** What the service says of itself, every 15 s. */
export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => market.get('/api/market/health', { signal }),
    refetchInterval: 15_000,
  })
