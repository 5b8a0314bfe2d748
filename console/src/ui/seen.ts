import { useEffect, useState } from 'preact/hooks'
import { store, stored } from '../api/stored.ts'

const keyOf = (what: string): string => `market.seen.${what}`

/**
 * Whether a text was shown on an earlier page or visit; shown now, it counts as seen. A browser may
 * store nothing for this page: then all is shown each time.
 */
export function useSeen(what: string): boolean {
  const [wasSeen] = useState(() => stored(keyOf(what)) !== null)
  useEffect(() => store(keyOf(what), '1'), [what])
  return wasSeen
}
