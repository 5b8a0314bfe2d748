import { Loading } from './loading.tsx'
import { Trouble } from './trouble.tsx'

interface Asked {
  data: unknown
  error: unknown
  refetch(): unknown
}

/**
 * Shown in place of a missing answer: that it is awaited, or what failed. `isOpened`: by a
 * click, amid a page that is read already.
 */
export function Waiting({ query, isOpened = false }: { query: Asked; isOpened?: boolean }) {
  if (query.error) return <Trouble error={query.error} again={() => void query.refetch()} />
  if (query.data !== undefined) return null
  return isOpened ? <p class="quiet">Loading…</p> : <Loading />
}
