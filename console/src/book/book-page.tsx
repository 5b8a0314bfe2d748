import { lazy, Suspense } from 'preact/compat'
import { useLocation, useSearch } from 'wouter-preact'
import { useCatalog } from '../api/catalog.ts'
import { useLive } from '../api/live.ts'
import { queryClient } from '../api/market.ts'
import { refresh } from '../api/refresh.ts'
import { ConnectionStatus } from '../ui/awaited/connection-status.tsx'
import { Loading } from '../ui/awaited/loading.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import type { Change } from './book-controls.tsx'
import { BookList } from './book-list.tsx'
import { addressWith, ownViewOf, viewOf } from './book-query.ts'
import { BookViews } from './book-views.tsx'
import { useMarks } from './marks.ts'

const OWN = {
  watched: lazy(async () => (await import('./watched-orders.tsx')).WatchedOrders),
  mine: lazy(async () => (await import('./own-orders.tsx')).OwnOrders),
}

/** The order book: what is shown is in the address; changes arrive as they happen. */
export function BookPage() {
  usePageTitle('Book')
  // Asked at once: every list below needs it.
  useCatalog()
  const search = useSearch()
  const [, navigate] = useLocation()
  const [marked, mark] = useMarks()
  // A change may also take an order out of a filter: all are followed.
  const connection = useLive({}, (news) => {
    refresh('orders')
    refresh('facets')
    if (!news) return refresh('order')
    mark(news.orderId)
    void queryClient.invalidateQueries({ queryKey: ['order', news.orderId] })
  })
  const change: Change = (changes, isStep = true) =>
    navigate(addressWith(search, changes), { replace: !isStep })
  const own = ownViewOf(search)
  const view = viewOf(search)
  const isLost = connection === 'lost'
  const Own = own && OWN[own]
  return (
    <>
      <div class="page-head">
        <h1>Book</h1>
        <ConnectionStatus connection={connection} />
      </div>
      <BookViews view={own ?? view} change={change} />
      {Own ? (
        <Suspense fallback={<Loading rows={8} />}>
          <Own marked={marked} isLost={isLost} />
        </Suspense>
      ) : (
        <BookList view={view} marked={marked} isLost={isLost} change={change} />
      )}
    </>
  )
}
