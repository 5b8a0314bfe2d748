import { useQuery } from '@tanstack/preact-query'
import { lazy } from 'preact/compat'
import { useRef } from 'preact/hooks'
import type { OrderState, OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { useCatalog, useMarketOf } from '../api/catalog.ts'
import { type Connection, useLive } from '../api/live.ts'
import { market } from '../api/market.ts'
import { refresh } from '../api/refresh.ts'
import { titleOf } from '../book/order-title.ts'
import { ConnectionStatus } from '../ui/connection-status.tsx'
import { Identifier } from '../ui/identifier.tsx'
import { Loading } from '../ui/loading.tsx'
import { usePageTitle } from '../ui/page-title.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'
import { ChangeList } from './change-list.tsx'
import { ClaimTable } from './claim-table.tsx'
import { PreflightForm } from './preflight-form.tsx'
import { PriceCard } from './price-card.tsx'
import { QuoteForm } from './quote-form.tsx'
import { SatFlow } from './sat-flow.tsx'
import { SigningNotes } from './signing-notes.tsx'
import { VerdictCard } from './verdict-card.tsx'
import { useVersions } from './versions.ts'

const Buying = lazy(async () => (await import('./buy-steps.tsx')).Buying)

/** One order: what is known of it, since when, from what, and how to buy it. */
export function OrderPage({ id }: { id: string }) {
  const order = useQuery({
    queryKey: ['order', id],
    queryFn: ({ signal }) => market.get('/api/market/orders/{id}', { path: { id }, signal }),
  })
  const connection = useLive({ search: id, includeWithdrawn: 'true' }, () => {
    refresh('order')
    refresh('versions')
  })
  usePageTitle(order.data ? titleOf(order.data) : 'Order')
  // Asked at once: the page below needs all three.
  useVersions(id)
  const catalog = useCatalog()
  if (order.data && !catalog.isPending)
    return <OrderView order={order.data} connection={connection} />
  return (
    <>
      <ToBook />
      <h1>Order</h1>
      {order.error ? (
        <Trouble error={order.error} again={() => void order.refetch()} />
      ) : (
        <Loading text="Loading the order…" />
      )}
    </>
  )
}

/** States in which an order cannot be bought here: gone, withdrawn, or never as claimed. */
const OVER: ReadonlySet<OrderState> = new Set(['SETTLED', 'SPENT', 'REJECTED', 'WITHDRAWN'])

const ToBook = () => (
  <p>
    <Link href="/">Book</Link>
  </p>
)

function OrderView({ order, connection }: { order: OrderSummary; connection: Connection }) {
  const isLost = connection === 'lost'
  const template = useMarketOf(order.protocolId)
  const isOver = OVER.has(order.state)
  const isForSale = order.actionability === 'HANDOFF_READY'
  // What was bought here stays to be read when the order is for sale no more.
  const wasForSale = useRef(isForSale)
  wasForSale.current ||= isForSale
  return (
    <>
      <ToBook />
      <div class="page-head">
        <h1>{titleOf(order)}</h1>
        <StateBadge state={order.state} isLost={isLost} />
        {isLost && <ConnectionStatus connection={connection} />}
      </div>
      <p class="quiet">
        {order.side === 'BID' ? 'A bid' : 'An ask'}
        {template && <> in {template.label}</>}, order <Identifier id={order.id} name="order" />
      </p>
      <div class="two" data-lost={isLost || undefined}>
        <VerdictCard order={order} />
        <PriceCard order={order} />
      </div>
      {wasForSale.current && order.side === 'ASK' && (
        <WalletSection id="buy" title="Buy it with your wallet">
          <Buying orderId={order.id} />
        </WalletSection>
      )}
      {!isOver && <SigningNotes order={order} scope={template?.verificationScope} />}
      {isForSale && order.side === 'ASK' && <QuoteForm orderId={order.id} />}
      {isForSale && <PreflightForm orderId={order.id} />}
      <SatFlow order={order} />
      <ClaimTable order={order} />
      <ChangeList orderId={order.id} />
      <p class="row">
        <a
          class="button plain"
          href={`/api/market/orders/${order.id}/bundle`}
          download={`order-${order.id}.json`}
        >
          Download the bundle
        </a>
        <span class="quiet">
          The order with its changes and proofs, signed by the service;{' '}
          <code>market verify-bundle</code> checks it offline.
        </span>
        {!isOver && (
          <Link href={`/console/sell/withdraw?order=${order.id}`}>Withdraw it as its seller</Link>
        )}
        <Link href={`/console/operations?order=${order.id}`}>Moderate it as an operator</Link>
      </p>
    </>
  )
}
