import type { OrderState, OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { useMarketOf } from '../api/catalog.ts'
import type { LiveState } from '../api/live.ts'
import { OrderTitle } from '../content/order-title.tsx'
import { SoldItem, SoldPreview } from '../content/sold-item.tsx'
import { ConnectionStatus } from '../ui/awaited/connection-status.tsx'
import { Fold } from '../ui/fold.tsx'
import { useWide } from '../ui/use-wide.ts'
import { Identifier } from '../ui/values/identifier.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { WatchButton } from '../watch/watch-button.tsx'
import { ChangeList } from './change-list.tsx'
import { ClaimTable } from './claim-table.tsx'
import { NextStep } from './next-step.tsx'
import { PriceCard } from './price-card.tsx'
import { SatFlow } from './sat-flow.tsx'
import { SigningNotes } from './signing-notes.tsx'
import { SoldFacts } from './sold-facts.tsx'
import { VerdictCard } from './verdict-card.tsx'

/** States in which an order cannot be bought here: gone, withdrawn, or never as claimed. */
const OVER: ReadonlySet<OrderState> = new Set(['SETTLED', 'SPENT', 'REJECTED', 'WITHDRAWN'])

interface OrderParts {
  order: OrderSummary
  connection: LiveState
  /** It was last read before a failure: its state is not that of now. */
  isUnread?: boolean
}

/**
 * Two columns on a wide screen: what is offered, and beside it the price, the verdict and the one next step. On a
 * narrow one these three follow the title, and what explains them is in sections that open.
 */
export function OrderView({ order, connection, isUnread = false }: OrderParts) {
  const isCut = connection === 'lost'
  const isLost = isCut || isUnread
  const template = useMarketOf(order.protocolId)
  const isOver = OVER.has(order.state)
  const isWide = useWide()
  return (
    <div class="order" data-lost={isLost || undefined}>
      <div class="order-head">
        <div class="page-head">
          <h1>
            <OrderTitle order={order} />
          </h1>
          <StateBadge state={order.state} isLost={isLost} />
          <WatchButton id={order.id} order={order} />
          {isCut && <ConnectionStatus connection={connection} />}
        </div>
        <p class="quiet">
          {order.side === 'BID' ? 'A bid' : 'An ask'}
          {template && <> in {template.label}</>}
          {order.token && (
            <>
              , named <bdi class="stranger">{order.token}</bdi> by its sender
            </>
          )}
          , order <Identifier id={order.id} name="order" />
        </p>
      </div>
      <aside class="order-side" aria-label="Price, verdict and next step">
        <PriceCard order={order} />
        <VerdictCard order={order} />
        <NextStep order={order} isOver={isOver} isLost={isLost} />
      </aside>
      <div class="order-main">
        <Fold
          id="sold"
          title={order.side === 'BID' ? 'What is wanted' : 'What is sold'}
          note={<SoldPreview order={order} />}
          isOpen={isWide}
        >
          <SoldItem order={order} />
          <SoldFacts order={order} />
        </Fold>
        {!isOver && (
          <SigningNotes order={order} scope={template?.verificationScope} isOpen={isWide} />
        )}
        <SatFlow order={order} isOpen={isWide} />
        <ClaimTable order={order} />
        <ChangeList order={order} />
        <OrderLinks order={order} isOver={isOver} />
      </div>
    </div>
  )
}

const OrderLinks = ({ order, isOver }: { order: OrderSummary; isOver: boolean }) => (
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
      <Link href={`/console/sell/withdraw?order=${order.id}`}>
        Withdraw it as {order.side === 'BID' ? 'the owner of what is wanted' : 'its seller'}
      </Link>
    )}
    <Link href={`/console/operations?order=${order.id}`}>Moderate it as an operator</Link>
  </p>
)
