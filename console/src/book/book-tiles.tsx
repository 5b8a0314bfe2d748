import type { OrderSummary } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { OrderTitle } from '../content/order-title.tsx'
import { Fiat } from '../ui/values/fiat.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { WatchButton } from '../watch/watch-button.tsx'
import { actionWords } from './actions.ts'
import { Kind } from './book-table.tsx'
import { amountIn, useUnit } from './looks.ts'
import type { OrderListParts } from './order-list-parts.ts'
import { priceOf } from './postage.ts'
import { TilePicture } from './tile-picture.tsx'

/** Orders as tiles, each of which is a link, with a place for what is sold. */
export const BookTiles = ({ orders, marked, isLost, notes }: OrderListParts) => (
  <ul class="order-tiles" data-lost={isLost || undefined}>
    {orders.map((order) => (
      <Tile
        key={order.id}
        order={order}
        isMarked={marked.has(order.id)}
        isLost={isLost}
        note={notes?.get(order.id) ?? null}
      />
    ))}
  </ul>
)

interface TileOf {
  order: OrderSummary
  isMarked: boolean
  isLost: boolean
  note: string | null
}

function Tile({ order, isMarked, isLost, note }: TileOf) {
  const unit = useUnit()
  const { price, paid, net } = priceOf(order)
  const can = actionWords(order, isLost)
  return (
    <li class="card" data-order={order.id} data-marked={isMarked || undefined}>
      <TilePicture order={order} />
      <div class="name">
        <Link class="whole" href={`/console/orders/${order.id}`}>
          <OrderTitle order={order} asks={false} />
        </Link>
        <WatchButton id={order.id} order={order} />
      </div>
      <Kind order={order} />
      <p class="cost">
        {amountIn(unit, price)} <span class="unit">{unit}</span>
      </p>
      <p class="under">
        {paid !== null && `${price === null ? 'pays' : 'with postage'} ${amountIn(unit, paid)}`}
        {paid !== null && price === null && ', '}
        {(paid === null || price === null) && `net ${amountIn(unit, net)}`}{' '}
        {price !== null && <Fiat sats={price} />}
      </p>
      <p class="state">
        <StateBadge state={order.state} isLost={isLost} /> {can && <span class="can">{can}</span>}
      </p>
      {note !== null && <p class="under note">{note}</p>}
    </li>
  )
}
