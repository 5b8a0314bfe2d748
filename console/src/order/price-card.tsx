import type { OrderSummary } from 'psbt-market-client'
import { priceOf } from '../book/postage.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { groupedSats } from '../ui/values/amounts.ts'

/** The number that counts, what it means in a sentence, and how it ended. */
export function PriceCard({ order }: { order: OrderSummary }) {
  const { price, paid, net, postage } = priceOf(order)
  return (
    <section class="card price" aria-labelledby="price">
      <h2 id="price">Price</h2>
      <p class="figure">{price === null ? 'none' : <Amount sats={price} />}</p>
      {paid !== null && (
        <p class="under">
          {price === null
            ? `Its owner is paid ${groupedSats(paid)} sats.`
            : `With postage ${groupedSats(paid)} sats: what its owner is paid.`}
        </p>
      )}
      <p>{summaryOf(order)}</p>
      <dl class="facts">
        <dt>Postage</dt>
        <dd>{postage === null ? 'unknown' : `${groupedSats(postage)} sats`}</dd>
        <dt>Net</dt>
        <dd>
          {net === null ? 'unknown' : `${groupedSats(net)} sats`}
          <span class="under">What is paid beyond the sats that the output itself holds.</span>
        </dd>
        <Settled order={order} />
      </dl>
    </section>
  )
}

function Settled({ order: { settlement } }: { order: OrderSummary }) {
  if (!settlement) return null
  return (
    <>
      <dt>{settlement.confirmations > 0 ? 'Settled by' : 'Paid by'}</dt>
      <dd>
        <ExploredId of="tx" id={settlement.txid} name="transaction" />
        <span class="under">{confirmationsText(settlement.confirmations)}</span>
      </dd>
    </>
  )
}

const confirmationsText = (count: number): string =>
  count === 0 ? 'in no block yet' : `${count} confirmation${count === 1 ? '' : 's'}`

/** Who gives what for what, of an order that is not over. */
export function summaryOf(order: OrderSummary): string | null {
  const { price, paid, postage, net } = priceOf(order)
  if (postage === null || net === null) return null
  if (order.state !== 'LIVE' && order.state !== 'MEMPOOL_CONFLICTED') return null
  const thing = order.assets.length > 0 ? 'the inscription' : 'its output'
  if (paid !== null)
    return (
      `You hand over ${thing} with its ${groupedSats(postage)} sats, and receive ` +
      `${groupedSats(paid)} sats: ${changeOf(net)}`
    )
  if (price === null) return null
  return (
    `You pay ${groupedSats(price)} sats and the network fee, and receive ${thing} with ` +
    `its ${groupedSats(postage)} sats.`
  )
}

/** What an owner has after a bid, against what was there before. */
const changeOf = (net: string): string =>
  net.startsWith('-')
    ? `${groupedSats(net.slice(1))} less than you had. You would lose them, and the asset.`
    : `${groupedSats(net)} more than you had.`
