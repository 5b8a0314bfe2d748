import { useQuery } from '@tanstack/preact-query'
import type { ProtocolTemplate } from 'psbt-market-client'
import { market } from './market.ts'
import { untilRead } from './until-read.ts'

/** The markets; they change only with the service. */
export const useCatalog = () =>
  useQuery({
    queryKey: ['catalog'],
    queryFn: ({ signal }) => market.get('/api/market/catalog', { signal }),
    ...untilRead,
  })

/** The market of an id, if the service knows it: the id itself comes from a stranger. */
export function useMarketOf(protocolId: string | undefined): ProtocolTemplate | undefined {
  return useCatalog().data?.find(({ id }) => id === protocolId)
}
