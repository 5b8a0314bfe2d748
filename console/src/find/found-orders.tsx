import { useQuery } from '@tanstack/preact-query'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { priceOf } from '../book/postage.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { titleOf } from '../ui/values/order-title.ts'
import { StateBadge } from '../ui/values/state-badge.tsx'
import type { LookedFor } from './looked-for.ts'

const MAX = 10

/**
 * Orders by id, inscription, token, address, the output that they offer, or the transaction that bought
 * them; those that are over too.
 */
export function FoundOrders({ of: { text, hash, outpoint } }: { of: LookedFor }) {
  const [search = text] = outpoint?.split(':') ?? []
  const query = useQuery({
    queryKey: ['orders', 'found', search],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders', {
        query: { search, includeWithdrawn: 'true', limit: MAX },
        signal,
      }),
  })
  const { data } = query
  return (
    <section class="card" aria-labelledby="found-orders">
      <h2 id="found-orders">Orders</h2>
      <Waiting query={query} isOpened />
      {data?.orders.length === 0 && <p class="quiet">No order.</p>}
      <ul class="notices">
        {data?.orders.map((order) => {
          const { price } = priceOf(order)
          return (
            <li key={order.id}>
              <Link href={`/console/orders/${order.id}`}>{titleOf(order)}</Link>{' '}
              <StateBadge state={order.state} /> {order.side === 'BID' ? 'bid' : 'ask'}
              {price !== null && <>, {groupedSats(price)} sats</>}
              {hash !== null && order.settlement?.txid === hash && ', bought by this transaction'}
            </li>
          )
        })}
      </ul>
      {data?.hasMore && (
        <p>
          <Link href={`/?${new URLSearchParams({ view: 'all', search })}`}>
            All {data.total} in the book
          </Link>
        </p>
      )}
    </section>
  )
}
