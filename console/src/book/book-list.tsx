import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { BookControls, type Change } from './book-controls.tsx'
import { BookFacets } from './book-facets.tsx'
import { filtersOf, PAGE_SIZE, SORTS, VIEWS, type ViewName } from './book-query.ts'
import { ListChoices } from './list-choices.tsx'
import { NoOrders } from './no-orders.tsx'
import { OrderList } from './order-list.tsx'

interface List {
  view: ViewName
  marked: ReadonlySet<string>
  isLost: boolean
  change: Change
}

/** A list of the service: filters, sort and page are in the address. */
export function BookList({ view, marked, isLost, change }: List) {
  const search = useSearch()
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
  return (
    <>
      <BookControls filters={chosen} sort={sort} change={change} />
      <div class="book">
        <BookFacets view={view} facets={facets.data} filters={chosen} change={change} />
        <section aria-label="Orders" aria-busy={page.isFetching}>
          <div class="list-head">
            <p class="quiet" aria-live="polite">
              {page.data && (page.data.total === 1 ? '1 order' : `${page.data.total} orders`)}
            </p>
            <ListChoices />
          </div>
          {page.error && <Trouble error={page.error} again={() => void page.refetch()} />}
          {page.data && (
            <>
              {page.data.orders.length === 0 ? (
                <NoOrders view={view} filters={chosen} change={change} />
              ) : (
                <OrderList
                  orders={page.data.orders}
                  marked={marked}
                  isLost={isLost || page.isError}
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
          {page.isPending && <Loading text="Loading the book…" rows={12} />}
        </section>
      </div>
    </>
  )
}
