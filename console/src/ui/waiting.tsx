import { Trouble } from './trouble.tsx'

interface Asked {
  data: unknown
  error: unknown
  refetch(): unknown
}

/** Shown in place of a missing answer: that it is awaited, or what failed. */
export function Waiting({ query }: { query: Asked }) {
  if (query.error) return <Trouble error={query.error} again={() => void query.refetch()} />
  return query.data === undefined ? <p class="quiet">Loading…</p> : null
}
