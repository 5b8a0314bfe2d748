import { useRef } from 'preact/hooks'
import { Loading } from './loading.tsx'
import { Trouble } from './trouble.tsx'

interface Asked {
  data: unknown
  error: unknown
  refetch(): unknown
}

/**
 * Shown in place of a missing answer: that it is awaited, or what failed. `isOpened`: by a
 * click, amid a page that is read already; so is another question in the place of an answered one.
 */
export function Waiting({ query, isOpened = false }: { query: Asked; isOpened?: boolean }) {
  const wasRead = useRef(false)
  if (query.data !== undefined) wasRead.current = true
  if (query.error) return <Trouble error={query.error} again={() => void query.refetch()} />
  if (query.data !== undefined) return null
  return isOpened || wasRead.current ? <p class="quiet">Loading…</p> : <Loading />
}
