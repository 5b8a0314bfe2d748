import { Link } from 'wouter-preact'
import { type BookQuery, NO_FILTERS, type ViewName } from './book-query.ts'

const WORDS: Record<ViewName, string> = {
  asks: 'Nothing is for sale now.',
  bids: 'No bid is live.',
  sold: 'Nothing has been sold yet.',
  all: 'There is no order yet.',
}

interface Empty {
  view: ViewName
  filters: BookQuery
  change(changes: Record<string, string | null>): void
}

/** What an empty list means, and what to do next. */
export function NoOrders({ view, filters, change }: Empty) {
  if (Object.keys(filters).length > 0) {
    return (
      <p class="empty">
        No order matches.{' '}
        <button type="button" class="plain" onClick={() => change(NO_FILTERS)}>
          Clear filters
        </button>
      </p>
    )
  }
  return (
    <p class="empty">
      {WORDS[view]} <Link href="/console/sell">Sell something</Link>
    </p>
  )
}
