import { useQuery } from '@tanstack/preact-query'
import type { OrderVersion } from 'psbt-market-client'
import { market } from '../api/market.ts'

const PAGE = 100
/** Orders change a few times; one that changed more often is read from its bundle. */
const MAX = 500

interface Versions {
  /** Newest first. */
  versions: OrderVersion[]
  isWithheld: boolean
  /** There are more than are shown here: the newest are missing. */
  isCut: boolean
}

export async function readVersions(id: string, signal: AbortSignal): Promise<Versions> {
  const versions: OrderVersion[] = []
  let isWithheld = false
  const list = market.list('/api/market/orders/{id}/history', {
    path: { id },
    query: { pageSize: PAGE },
    signal,
  })
  for await (const page of list.pages()) {
    versions.push(...page.versions)
    isWithheld ||= page.isWithheld
    if (versions.length >= MAX)
      return { versions: versions.reverse(), isWithheld, isCut: page.hasMore }
  }
  return { versions: versions.reverse(), isWithheld, isCut: false }
}

/** The versions of an order as the history has them. */
export const useVersions = (orderId: string) =>
  useQuery({
    queryKey: ['versions', orderId],
    queryFn: ({ signal }) => readVersions(orderId, signal),
  })

/** The versions that say what an order rests on now: none where its newest are missing, or could not be read. */
export function useNewestVersions(orderId: string) {
  const { data, isPending, isError } = useVersions(orderId)
  const hasNewest = data !== undefined && !data.isCut && !isError
  return { versions: hasNewest ? data.versions : [], isPending }
}
