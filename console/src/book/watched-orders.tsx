import { useQueries } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { clearNews } from '../watch/news.ts'
import { NoticeButton } from '../watch/notice-button.tsx'
import { noteSeen, type Seen, seenOf, unwatch, useWatchList } from '../watch/watch-list.ts'
import { whatChanged } from '../watch/what-changed.ts'
import { ListChoices } from './list-choices.tsx'
import { OrderList } from './order-list.tsx'

/** As many are read at once. */
const PAGE = 25

interface Watching {
  marked: ReadonlySet<string>
  isLost: boolean
}

/** The orders that this browser watches, and what changed since each was looked at last. */
export function WatchedOrders({ marked, isLost }: Watching) {
  const list = useWatchList()
  const [shown, show] = useState(PAGE)
  const asked = list.slice(0, shown)
  const answers = useQueries({
    queries: asked.map(({ id }) => ({
      queryKey: ['order', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        market.get('/api/market/orders/{id}', { path: { id }, signal }),
    })),
  })
  const orders = answers.flatMap(({ data, error }) => (data && !error ? [data] : []))
  const notes = new Map<string, string>()
  for (const order of orders) {
    const before = list.find(({ id }) => id === order.id)?.seen ?? null
    const changed = whatChanged(before, seenOf(order))
    if (changed !== null) notes.set(order.id, changed)
  }
  const markSeen = useLook(orders)
  const gone = asked.filter((_, at) => isAbsent(answers[at]?.error)).map(({ id }) => id)
  const failed = answers.find(({ error }) => error !== null && !isAbsent(error))
  if (list.length === 0) return <NothingWatched />
  return (
    <section aria-label="Orders">
      <div class="list-head">
        <p class="quiet" aria-live="polite">
          {list.length === 1 ? '1 order is watched' : `${list.length} orders are watched`}, in this
          browser alone.{' '}
          {notes.size > 0 && (
            <strong>
              {notes.size === 1 ? '1 has changed' : `${notes.size} have changed`} since you looked.
            </strong>
          )}
        </p>
        <ListChoices />
      </div>
      <p class="row">
        <NoticeButton />
        {notes.size > 0 && (
          <button type="button" class="plain" onClick={markSeen}>
            Mark all as seen
          </button>
        )}
      </p>
      {failed && <Trouble error={failed.error} again={() => void failed.refetch()} />}
      {answers.every(({ isPending }) => isPending) ? (
        <Loading rows={asked.length} text="Reading what is watched…" />
      ) : (
        <OrderList
          orders={changedFirst(orders, notes)}
          marked={marked}
          isLost={isLost}
          notes={notes}
        />
      )}
      {gone.length > 0 && (
        <p class="row">
          {gone.length === 1 ? '1 order is' : `${gone.length} orders are`} not known here (any
          more).
          <button type="button" class="plain" onClick={() => unwatch(new Set(gone))}>
            Take off the list
          </button>
        </p>
      )}
      {list.length > shown && (
        <p class="pages">
          <button type="button" onClick={() => show(shown + PAGE)}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}

/** What is shown counts as looked at once the view is left, so that a change is seen until then. */
function useLook(orders: readonly OrderSummary[]): () => void {
  const looked = useRef<ReadonlyMap<string, Seen>>(new Map())
  looked.current = new Map(orders.map((order) => [order.id, seenOf(order)]))
  useEffect(() => {
    clearNews()
    return () => {
      clearNews()
      noteSeen(looked.current)
    }
  }, [])
  return () => {
    clearNews()
    noteSeen(looked.current)
  }
}

const changedFirst = (
  orders: readonly OrderSummary[],
  notes: ReadonlyMap<string, string>,
): readonly OrderSummary[] => {
  const isChanged = ({ id }: OrderSummary) => Number(notes.has(id))
  return [...orders].sort((one, other) => isChanged(other) - isChanged(one))
}

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404

const NothingWatched = () => (
  <p class="empty">
    Nothing is watched. A star at an order puts it here. <Link href="/">See the asks</Link>
  </p>
)
