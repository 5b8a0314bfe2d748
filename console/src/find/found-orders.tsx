import { useQuery } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { priceOf } from '../book/postage.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { outpointText } from '../ui/forms/outpoints.ts'
import { groupedSats } from '../ui/values/amounts.ts'
import { titleOf } from '../ui/values/order-title.ts'
import { StateBadge } from '../ui/values/state-badge.tsx'
import type { LookedFor } from './looked-for.ts'

const MAX = 10
/** All outputs of a transaction are found by its id. */
const MAX_OF_TRANSACTION = 50

/**
 * Orders by id, inscription, token, address, the output that they offer, or the transaction that bought
 * them; those that are over too.
 */
export function FoundOrders({ of: { text, hash, outpoint } }: { of: LookedFor }) {
  const [search = text] = outpoint?.split(':') ?? []
  const limit = outpoint ? MAX_OF_TRANSACTION : MAX
  const query = useQuery({
    queryKey: ['orders', 'found', search, limit],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders', {
        query: { search, includeWithdrawn: 'true', limit },
        signal,
      }),
  })
  const { data } = query
  const orders = data?.orders ?? []
  const found = orders.filter((order) => outpoint === null || isOf(order, outpoint))
  const others = orders.filter((order) => !found.includes(order))
  return (
    <section class="card" aria-labelledby="found-orders">
      <h2 id="found-orders">Orders</h2>
      <Waiting query={query} isOpened />
      {data && found.length === 0 && (
        <p class="quiet">{data.hasMore ? `None among the newest ${limit}.` : 'No order.'}</p>
      )}
      <Orders of={found} txid={hash} />
      {others.length > 0 && (
        <>
          <h3>Others of its transaction</h3>
          <p class="quiet">
            They offer another output of it or an inscription that it made, or it spent what they
            offered.
          </p>
          <Orders of={others} txid={search} />
        </>
      )}
      {data?.hasMore && (
        <p>
          <Link
            href={`/?${new URLSearchParams({ view: 'all', search, includeWithdrawn: 'true' })}`}
          >
            All {data.total} in the book
          </Link>
        </p>
      )}
    </section>
  )
}

/** What an order offers, or is for, is among its inputs. */
const isOf = ({ inspection }: OrderSummary, outpoint: string): boolean =>
  inspection.inputOutpoints.some((one) => outpointText(one) === outpoint)

/** `txid`: what is said to have bought those that it did. */
const Orders = ({ of, txid }: { of: readonly OrderSummary[]; txid: string | null }) => (
  <ul class="notices">
    {of.map((order) => {
      const { price } = priceOf(order)
      return (
        <li key={order.id}>
          <Link href={`/console/orders/${order.id}`}>{titleOf(order)}</Link>{' '}
          <StateBadge state={order.state} /> {order.side === 'BID' ? 'bid' : 'ask'}
          {price !== null && <>, {groupedSats(price)} sats</>}
          {txid !== null && order.settlement?.txid === txid && ', bought by this transaction'}
        </li>
      )
    })}
  </ul>
)
