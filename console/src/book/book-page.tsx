import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { useLive } from '../api/live.ts'
import { market } from '../api/market.ts'
import { refresh } from '../api/refresh.ts'
import { ConnectionStatus } from '../ui/connection-status.tsx'
import { Loading } from '../ui/loading.tsx'
import { usePageTitle } from '../ui/page-title.ts'
import { Trouble } from '../ui/trouble.tsx'
import { BookControls } from './book-controls.tsx'
import { BookFacets } from './book-facets.tsx'
import { addressWith, filtersOf, PAGE_SIZE, SORTS, VIEWS, viewOf } from './book-query.ts'
import { BookTable } from './book-table.tsx'
import { BookViews } from './book-views.tsx'
import { NoOrders } from './no-orders.tsx'

/** How long a row that changed is marked. */
const MARKED_MS = 4_000

/** The order book: filters, sort and page are in the address; changes arrive as they happen. */
export function BookPage() {
  usePageTitle('Book')
  const search = useSearch()
  const [, navigate] = useLocation()
  const view = viewOf(search)
  const chosen = filtersOf(search)
  const filters = { ...chosen, ...VIEWS[view].filters }
  const address = new URLSearchParams(search)
  const cursor = address.get('cursor')
  const sort = Object.keys(SORTS).find((one) => one === address.get('sort')) ?? VIEWS[view].sort
  const query = { ...filters, sort, limit: PAGE_SIZE, ...(cursor && { cursor }) }
  const page = useQuery({
    queryKey: ['orders', query],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders', { query: query as typeof filters, signal }),
    placeholderData: keepPreviousData,
  })
  const facets = useQuery({
    queryKey: ['facets', filters],
    queryFn: ({ signal }) => market.get('/api/market/orders/facets', { query: filters, signal }),
    placeholderData: keepPreviousData,
  })
  const [marked, mark] = useMarks()
  // A change may also take an order out of a filter: all are followed.
  const connection = useLive({}, (change) => {
    if (change) mark(change.orderId)
    refresh('orders')
    refresh('facets')
  })
  const change = (changes: Record<string, string | null>) => navigate(addressWith(search, changes))

  return (
    <>
      <div class="page-head">
        <h1>Book</h1>
        <ConnectionStatus connection={connection} />
      </div>
      <BookViews view={view} change={change} />
      <BookControls filters={chosen} sort={sort} change={change} />
      <div class="book">
        <BookFacets view={view} facets={facets.data} filters={chosen} change={change} />
        <section aria-label="Orders" aria-busy={page.isFetching}>
          {page.error && <Trouble error={page.error} again={() => void page.refetch()} />}
          {page.data && (
            <>
              <p class="quiet" aria-live="polite">
                {page.data.total === 1 ? '1 order' : `${page.data.total} orders`}
              </p>
              {page.data.orders.length === 0 ? (
                <NoOrders view={view} filters={chosen} change={change} />
              ) : (
                <BookTable
                  orders={page.data.orders}
                  marked={marked}
                  isLost={connection === 'lost'}
                />
              )}
              <nav class="pages" aria-label="Pages of the list">
                {cursor && (
                  <button type="button" onClick={() => change({ cursor: null })}>
                    First page
                  </button>
                )}
                {cursor && (
                  <button type="button" onClick={() => history.back()}>
                    Previous page
                  </button>
                )}
                {page.data.hasMore && (
                  <button type="button" onClick={() => change({ cursor: page.data.nextCursor })}>
                    Next page
                  </button>
                )}
              </nav>
            </>
          )}
          {page.isPending && <Loading text="Loading the book…" />}
        </section>
      </div>
    </>
  )
}

/** Orders that changed a moment ago. */
function useMarks(): [ReadonlySet<string>, (id: string) => void] {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const kept = timers.current
    return () => {
      for (const timer of kept) clearTimeout(timer)
    }
  }, [])
  const mark = (id: string) => {
    setMarked((before) => new Set([...before, id]))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setMarked((before) => new Set([...before].filter((one) => one !== id)))
    }, MARKED_MS)
    timers.current.add(timer)
  }
  return [marked, mark]
}
