import type { OrderSummary, Quote } from 'psbt-market-client'
import { Age } from '../ui/values/age.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Countdown } from '../ui/values/countdown.tsx'
import { titleOf } from '../ui/values/order-title.ts'

interface QuoteFactsParts {
  quote: Quote
  order: OrderSummary
}

/** What a purchase costs and brings, in a sentence; who is paid what, and until when that holds. */
export function QuoteFacts({ quote, order }: QuoteFactsParts) {
  return (
    <>
      <p class="verdict">{summaryOfQuote(quote, order)}</p>
      <p>
        <Countdown until={quote.expiresAt} />{' '}
        <span class="quiet">
          as of block {quote.checkpoint.height}, <Age at={quote.observedAt} />
        </span>
      </p>
      <dl class="facts">
        <dt>In all</dt>
        <dd>
          <Amount sats={quote.totalBuyerCostSats} />
        </dd>
        <dt>To the seller</dt>
        <dd>
          <Amount sats={quote.sellerProceedsSats} />
        </dd>
        <dt>Network fee</dt>
        <dd>
          <Amount sats={quote.networkFeeSats} /> at {quote.feeRateSatsPerVb} sats per vbyte
        </dd>
        <dt>Comes with it</dt>
        <dd>
          <Amount sats={quote.assetValueSats} />
        </dd>
        <dt>Change</dt>
        <dd>
          <Amount sats={quote.changeSats} />
        </dd>
      </dl>
      <ul class="notices">
        {quote.notices?.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </>
  )
}

/** What leaves the buyer, and what arrives where. */
export const summaryOfQuote = (quote: Quote, order: OrderSummary): string =>
  `You pay ${groupedSats(quote.totalBuyerCostSats)} sats, ` +
  `${groupedSats(quote.networkFeeSats)} of them to the network, and receive ${titleOf(order)} ` +
  `with ${groupedSats(quote.assetValueSats)} sats at ${headOf(quote.assetReceiveAddress)}.`

/** Enough of an address to know it again. */
const headOf = (address: string): string =>
  address.length > 20 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address
