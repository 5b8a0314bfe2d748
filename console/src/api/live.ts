import type { StreamChange } from 'market-client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { market } from './market.ts'

export type Connection = 'connecting' | 'live' | 'lost'

type Filters = Parameters<typeof market.follow>[0]

/** The service sends a heartbeat every 10 s: this long without one is a lost stream. */
const LOST_AFTER_MS = 25_000
const LOOK_EVERY_MS = 1_000

/**
 * Follows the matching changes: calls `onChange` with each, or with null where changes may have
 * been missed. It reconnects by itself, for as long as the page is shown.
 */
export function useLive(
  filters: Filters,
  onChange: (change: StreamChange | null) => void,
): Connection {
  const [connection, setConnection] = useState<Connection>('connecting')
  const told = useRef(onChange)
  told.current = onChange
  const key = JSON.stringify(filters)

  useEffect(() => {
    const end = new AbortController()
    let heardAt = 0
    const onHeard = () => {
      heardAt = performance.now()
      setConnection('live')
    }
    const stream = market.follow({ ...JSON.parse(key), limit: 1 }, { signal: end.signal, onHeard })
    const watch = setInterval(() => {
      if (heardAt > 0 && performance.now() - heardAt > LOST_AFTER_MS) setConnection('lost')
    }, LOOK_EVERY_MS)
    const follow = async () => {
      for await (const item of stream) {
        if (item.type === 'change') told.current(item.data)
        else if (item.reason !== 'begun') told.current(null)
      }
    }
    follow().catch(() => {
      if (!end.signal.aborted) setConnection('lost')
    })
    return () => {
      clearInterval(watch)
      end.abort(new Error('the page was left'))
    }
  }, [key])
  return connection
}
