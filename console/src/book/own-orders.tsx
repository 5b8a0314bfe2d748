import { useQueries } from '@tanstack/preact-query'
import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Loading } from '../ui/awaited/loading.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import type { Connection } from '../wallet/connection.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { ListChoices } from './list-choices.tsx'
import { OrderList } from './order-list.tsx'

const MAX = 50

interface Own {
  marked: ReadonlySet<string>
  isLost: boolean
}

/** The orders whose outputs belong to the wallet that is connected; those that are over too. */
export const OwnOrders = (parts: Own) => (
  <section class="own" aria-label="Your orders">
    <p class="quiet">The orders whose outputs belong to your wallet, those that are over too.</p>
    <WithWallet none="No wallet was found in this page.">
      {(connection) => <OrdersOf connection={connection} {...parts} />}
    </WithWallet>
    <p class="quiet">
      Without a wallet, <Link href="/console/find">find orders by an address</Link>.
    </p>
  </section>
)

function OrdersOf({ connection, marked, isLost }: Own & { connection: Connection }) {
  const addresses = [...new Set(connection.addresses.map(({ address }) => address))]
  const answers = useQueries({
    queries: addresses.map((seller) => ({
      queryKey: ['orders', { seller }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        market.get('/api/market/orders', {
          query: { seller, includeWithdrawn: 'true' as const, limit: MAX },
          signal,
        }),
    })),
  })
  const failed = answers.find(({ error }) => error !== null)
  const orders = answers.flatMap(({ data }) => data?.orders ?? []).sort(newestFirst)
  return (
    <>
      {failed && <Trouble error={failed.error} again={() => void failed.refetch()} />}
      {answers.some(({ isPending }) => isPending) ? (
        <Loading rows={4} text="Looking for your orders…" />
      ) : (
        <>
          <div class="list-head">
            <p class="quiet" aria-live="polite">
              {orders.length === 1 ? '1 order' : `${orders.length} orders`}
            </p>
            <ListChoices />
          </div>
          {orders.length === 0 ? (
            <p class="empty">
              No order is yours yet. <Link href="/console/sell">Sell something</Link>
            </p>
          ) : (
            <OrderList orders={orders} marked={marked} isLost={isLost} />
          )}
          {answers.map(
            ({ data }, at) =>
              data?.hasMore && (
                <p key={addresses[at]}>
                  <Link href={`/?${allOf(addresses[at] ?? '')}`}>All {data.total} in the book</Link>
                </p>
              ),
          )}
        </>
      )}
    </>
  )
}

const allOf = (seller: string): string =>
  new URLSearchParams({ view: 'all', seller, includeWithdrawn: 'true' }).toString()

const newestFirst = (one: OrderSummary, other: OrderSummary): number =>
  Date.parse(other.createdAt) - Date.parse(one.createdAt)
