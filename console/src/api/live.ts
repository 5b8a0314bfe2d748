import { useEffect, useRef, useState } from 'preact/hooks'
import type { OrderSummary, StreamChange } from 'psbt-market-client'
import { announceChange } from './changes.ts'
import { noteHeard, noteLeft, noteLost } from './heard.ts'
import { market } from './market.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

type FollowFilters = Parameters<typeof market.follow>[0]

/** The service sends a heartbeat every 10 s: this long without one is a lost stream too. */
const LOST_AFTER_MS = 25_000
const LOOK_EVERY_MS = 1_000
/** After an answer that no repetition mends, such as a page that a proxy sent instead. */
const ANEW_AFTER_MS = 30_000

/**
 * Follows the matching changes: calls `onChange` with each, or with null where changes may have been
 * missed: also when it begins, with the first order that matches, since what the page has read may be
 * older. It is lost at once where a connection breaks or cannot be made, and reconnects by itself, for
 * as long as the page is shown.
 */
export function useLive(
  filters: FollowFilters,
  onChange: (change: StreamChange | null, begun: OrderSummary | null) => void,
): LiveState {
  const [connection, setConnection] = useState<LiveState>('connecting')
  const told = useRef(onChange)
  told.current = onChange
  const key = JSON.stringify(filters)

  useEffect(() => {
    const end = new AbortController()
    let heardAt = 0
    const onHeard = () => {
      heardAt = performance.now()
      noteHeard()
      setConnection('live')
    }
    const onLost = () => {
      noteLost()
      setConnection('lost')
    }
    const options = { signal: end.signal, onHeard, onLost }
    const watch = setInterval(() => {
      if (heardAt > 0 && performance.now() - heardAt > LOST_AFTER_MS) onLost()
    }, LOOK_EVERY_MS)
    let anew: ReturnType<typeof setTimeout>
    const follow = async (place: string | null) => {
      const from = place === null ? options : { ...options, lastEventId: place }
      const stream = market.follow({ ...JSON.parse(key), limit: 1 }, from)
      try {
        for await (const item of stream) {
          if (item.type === 'change') announceChange(item.data)
          if (item.type === 'change') told.current(item.data, null)
          else told.current(null, item.data.orders[0] ?? null)
        }
      } catch {
        if (end.signal.aborted) return
        onLost()
        anew = setTimeout(() => void follow(stream.lastEventId), ANEW_AFTER_MS)
      }
    }
    void follow(null)
    return () => {
      clearTimeout(anew)
      clearInterval(watch)
      noteLeft()
      end.abort(new Error('the page was left'))
    }
  }, [key])
  return connection
}
