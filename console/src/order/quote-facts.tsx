import type { Quote } from 'psbt-market-client'
import { Age } from '../ui/age.tsx'
import { Amount } from '../ui/amount.tsx'

/** Who is paid what by a purchase, and until when that is known. */
export function QuoteFacts({ quote }: { quote: Quote }) {
  return (
    <>
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
        <dt>As of</dt>
        <dd>
          block {quote.checkpoint.height}, <Age at={quote.observedAt} />; expires {quote.expiresAt}
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
