import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { useCatalog } from '../api/catalog.ts'
import { Age } from '../ui/age.tsx'
import { btcOf, groupedSats } from '../ui/amounts.ts'
import { StateBadge } from '../ui/state-badge.tsx'
import { titleOf } from './order-title.ts'
import { priceOf } from './postage.ts'

const CAN: Record<OrderSummary['actionability'], string | null> = {
  HANDOFF_READY: 'ready to buy',
  REVIEW_ONLY: 'review only',
  BLOCKED: null,
}

interface Table {
  orders: readonly OrderSummary[]
  marked: ReadonlySet<string>
  /** The page has lost its stream: nothing here is of now. */
  isLost: boolean
}

/** Orders in rows; on a narrow screen each row is a card whose cells say what they are. */
export function BookTable({ orders, marked, isLost }: Table) {
  return (
    <table class="orders cards" data-lost={isLost || undefined}>
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Price, sats
          </th>
          <th scope="col" class="number">
            Net, sats
          </th>
          <th scope="col" class="number">
            Postage, sats
          </th>
          <th scope="col">Checked</th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <Row key={order.id} order={order} isMarked={marked.has(order.id)} isLost={isLost} />
        ))}
      </tbody>
    </table>
  )
}

interface RowOf {
  order: OrderSummary
  isMarked: boolean
  isLost: boolean
}

function Row({ order, isMarked, isLost }: RowOf) {
  const { data: catalog } = useCatalog()
  const { price, withPostage, net, postage } = priceOf(order)
  const can = isLost ? null : CAN[order.actionability]
  const label = catalog?.find(({ id }) => id === order.protocolId)?.label ?? order.protocolId
  return (
    <tr data-order={order.id} data-marked={isMarked || undefined}>
      <th scope="row">
        <Link href={`/console/orders/${order.id}`}>{titleOf(order)}</Link>
        <span class="under">
          {order.side === 'BID' ? 'bid' : 'ask'}
          {label && <> · {label}</>}
          {order.token && (
            <>
              {' · '}
              <bdi class="stranger">{order.token}</bdi>
            </>
          )}
        </span>
      </th>
      <td data-label="State">
        <StateBadge state={order.state} isLost={isLost} />
        {can && <span class="under">{can}</span>}
      </td>
      <td data-label="Price, sats" class="number">
        {price === null ? '–' : groupedSats(price)}
        {price !== null && <span class="under">{btcOf(price)} BTC</span>}
        {withPostage !== null && <span class="under">with postage {groupedSats(withPostage)}</span>}
      </td>
      <td data-label="Net, sats" class="number">
        {net === null ? '–' : groupedSats(net)}
        {net !== null && <span class="under">{btcOf(net)} BTC</span>}
      </td>
      <td data-label="Postage, sats" class="number">
        {postage === null ? '–' : groupedSats(postage)}
      </td>
      <td data-label="Checked">
        <Age at={order.validation.checkedAt} />
        {order.validation.nodeTip && (
          <span class="under">at block {order.validation.nodeTip.height}</span>
        )}
      </td>
    </tr>
  )
}
