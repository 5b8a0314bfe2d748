import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { useMarketOf } from '../api/catalog.ts'
import { useShowsContent } from '../content/content.ts'
import { OrderTitle } from '../content/order-title.tsx'
import { Preview } from '../content/preview.tsx'
import { shownAsset } from '../content/shown-asset.ts'
import { Age } from '../ui/values/age.tsx'
import { Fiat } from '../ui/values/fiat.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { WatchButton } from '../watch/watch-button.tsx'
import { actionWords } from './actions.ts'
import { amountIn, useUnit } from './looks.ts'
import type { OrderListParts } from './order-list-parts.ts'
import { priceOf } from './postage.ts'

/** Pixels of the picture in a row, which is no higher for it. */
const SIZE = 40

/**
 * Orders in rows, each of which is a link (`lists.css`); on a narrow screen a row is a card of three
 * lines. What all rows have in common is not in each of them.
 */
export function BookTable({ orders, marked, isLost, notes }: OrderListParts) {
  const unit = useUnit()
  const hasPictures = useShowsContent() === true
  return (
    <table class="orders" data-lost={isLost || undefined} data-pictures={hasPictures || undefined}>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Watch</span>
          </th>
          {hasPictures && (
            <th scope="col">
              <span class="unseen">Picture</span>
            </th>
          )}
          <th scope="col">Order</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Price, {unit}
          </th>
          <th scope="col" class="number">
            Net, {unit}
          </th>
          <th scope="col" class="number postage">
            Postage, {unit}
          </th>
          <th scope="col">Checked</th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <Row
            key={order.id}
            order={order}
            isMarked={marked.has(order.id)}
            isLost={isLost}
            hasPictures={hasPictures}
            note={notes?.get(order.id) ?? null}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowOf {
  order: OrderSummary
  isMarked: boolean
  isLost: boolean
  hasPictures: boolean
  note: string | null
}

function Row({ order, isMarked, isLost, hasPictures, note }: RowOf) {
  const unit = useUnit()
  const { price, paid, net, postage } = priceOf(order)
  const can = actionWords(order, isLost)
  const asset = shownAsset(order)
  return (
    <tr data-order={order.id} data-marked={isMarked || undefined}>
      <td class="star">
        <WatchButton id={order.id} order={order} />
      </td>
      {hasPictures && (
        <td class="thumb">
          {asset && <Preview inscriptionId={asset.inscriptionId} size={SIZE} drawsSvg={false} />}
        </td>
      )}
      <th scope="row">
        <span class="what">
          <Link class="whole" href={`/console/orders/${order.id}`}>
            <OrderTitle order={order} asks={false} />
          </Link>
          <Kind order={order} />
        </span>
        {note !== null && <span class="under note">{note}</span>}
      </th>
      <td class="state">
        <StateBadge state={order.state} isLost={isLost} /> {can && <span class="can">{can}</span>}
      </td>
      <td data-label="Price" class="number price">
        {price !== null && <Fiat sats={price} />} {amountIn(unit, price)}
        {paid !== null && (
          <span class="under">
            {price === null ? 'pays' : 'with postage'} {amountIn(unit, paid)}
          </span>
        )}
      </td>
      <td data-label="Net" class="number net">
        {amountIn(unit, net)}
      </td>
      <td data-label="Postage" class="number postage">
        {amountIn(unit, postage)}
      </td>
      <td data-label="Checked" class="checked">
        <Age at={order.validation.checkedAt} />
      </td>
    </tr>
  )
}

/** What sort of order it is: a bid, its market and its token, as strangers gave them. */
export function Kind({ order: { side, protocolId, token } }: { order: OrderSummary }) {
  const label = useMarketOf(protocolId)?.label ?? protocolId
  const words = [side === 'BID' && 'bid', label].filter(Boolean).join(' · ')
  return (
    <span class="under kind">
      {words}
      {token && (
        <>
          {words && ' · '}
          <bdi class="stranger" title={token}>
            {token}
          </bdi>
        </>
      )}
    </span>
  )
}
