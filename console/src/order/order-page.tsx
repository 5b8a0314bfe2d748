import { useQuery } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import { NotFoundError, type OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { useCatalog } from '../api/catalog.ts'
import { useLive } from '../api/live.ts'
import { market } from '../api/market.ts'
import { refresh } from '../api/refresh.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { titleOf } from '../ui/values/order-title.ts'
import { OrderView } from './order-view.tsx'
import { useVersions } from './versions.ts'

/** Of an order whose newest state could not be read. */
const AGAIN_MS = 15_000

function readAgain(): void {
  refresh('order')
  refresh('versions')
}

/** Was it read after its last change and its last verification? */
const isSame = (read: OrderSummary, now: OrderSummary): boolean =>
  read.updatedAt === now.updatedAt &&
  read.state === now.state &&
  read.actionability === now.actionability &&
  read.validation.checkedAt === now.validation.checkedAt

/** One order: what is known of it, since when, from what, and how to buy it. */
export function OrderPage({ id }: { id: string }) {
  const order = useQuery({
    queryKey: ['order', id],
    queryFn: ({ signal }) => market.get('/api/market/orders/{id}', { path: { id }, signal }),
  })
  const unread = useRef<OrderSummary | null>(null)
  const connection = useLive({ search: id, includeWithdrawn: 'true' }, (_change, begun) => {
    // Compared once it is read.
    if (begun?.id === id && !order.data) unread.current = begun
    else if (begun?.id !== id || !order.data || !isSame(order.data, begun)) readAgain()
  })
  useEffect(() => {
    if (!order.data) return
    const begun = unread.current
    unread.current = null
    if (begun && !isSame(order.data, begun)) readAgain()
  }, [order.data])
  usePageTitle(order.data ? titleOf(order.data) : 'Order')
  // Asked at once: the page below needs all three.
  const versions = useVersions(id)
  const catalog = useCatalog()
  const isUnread = order.data !== undefined && (order.isError || versions.isError)
  useEffect(() => {
    if (!isUnread) return
    const again = setInterval(readAgain, AGAIN_MS)
    return () => clearInterval(again)
  }, [isUnread])
  return (
    <>
      <p class="alone">
        <Link href="/">Book</Link>
      </p>
      {order.data && !catalog.isPending ? (
        <>
          {order.error && <Trouble error={order.error} again={() => void order.refetch()} />}
          <OrderView order={order.data} connection={connection} isUnread={order.isError} />
        </>
      ) : (
        <>
          <h1>Order</h1>
          {order.error instanceof NotFoundError ? (
            <p class="empty">
              No such order. Check its id, or <Link href="/console/find">find it</Link>.
            </p>
          ) : order.error ? (
            <Trouble error={order.error} again={() => void order.refetch()} />
          ) : (
            <Loading text="Loading the order…" rows={8} />
          )}
        </>
      )}
    </>
  )
}
