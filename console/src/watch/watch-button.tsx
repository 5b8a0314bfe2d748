import type { OrderSummary } from 'psbt-market-client'
import { shortened } from '../ui/values/identifier.tsx'
import { titleOf } from '../ui/values/order-title.ts'
import { isWatched, MAX_WATCHED, seenOf, toggleWatch, useWatchList } from './watch-list.ts'

interface WatchButtonParts {
  id: string
  /** Where the page has it: what is seen of it now. */
  order?: OrderSummary
}

/** A star that has this browser watch an order, or stop. */
export function WatchButton({ id, order }: WatchButtonParts) {
  const list = useWatchList()
  const is = isWatched(list, id)
  const isFull = !is && list.length >= MAX_WATCHED
  const name = order ? titleOf(order) : `order ${shortened(id)}`
  return (
    <button
      type="button"
      class="watch"
      aria-pressed={is}
      aria-label={`Watch ${name}`}
      title={titleText(is, isFull)}
      disabled={isFull}
      onClick={() => toggleWatch(id, order ? seenOf(order) : null)}
    >
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M12 3l2.8 5.9 6.2.8-4.6 4.4 1.2 6.3L12 17.3l-5.6 3.1 1.2-6.3L3 9.7l6.2-.8z" />
      </svg>
    </button>
  )
}

function titleText(is: boolean, isFull: boolean): string {
  if (isFull) return `The watch list is full: ${MAX_WATCHED}`
  return is ? 'Watched: stop watching' : 'Watch'
}
