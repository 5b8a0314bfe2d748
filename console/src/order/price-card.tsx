import type { OrderSummary } from 'psbt-market-client'
import { priceOf } from '../book/postage.ts'
import { Amount } from '../ui/amount.tsx'
import { groupedSats } from '../ui/amounts.ts'
import { Identifier } from '../ui/identifier.tsx'

/** What is paid and what is handed over. */
export function PriceCard({ order }: { order: OrderSummary }) {
  const { price, withPostage, net, postage } = priceOf(order)
  const [asset] = order.assets
  const offered = asset?.outpoint ?? order.inspection.inputOutpoints[0]
  return (
    <section class="card" aria-labelledby="price">
      <h2 id="price">Price</h2>
      <dl class="facts">
        <dt>Price</dt>
        <dd>
          <span class="figure">{price === null ? 'none' : <Amount sats={price} />}</span>
          {withPostage !== null && (
            <span class="under">
              With postage {groupedSats(withPostage)} sats: what its owner is paid.
            </span>
          )}
        </dd>
        <dt>Postage</dt>
        <dd>{postage === null ? 'unknown' : <Amount sats={postage} />}</dd>
        <dt>Net</dt>
        <dd>
          {net === null ? 'unknown' : <Amount sats={net} />}
          <span class="under">What is paid beyond the sats that the output itself holds.</span>
        </dd>
        {asset && (
          <>
            <dt>Inscription</dt>
            <dd>
              {asset.inscriptionNumber ?? ''}{' '}
              <Identifier id={asset.inscriptionId} name="inscription" />
            </dd>
          </>
        )}
        {offered && (
          <>
            <dt>Output</dt>
            <dd>
              <Identifier id={`${offered.txid}:${offered.vout}`} name="output" />
            </dd>
          </>
        )}
        <dt>Signed as</dt>
        <dd>{order.inspection.orderClass.toLowerCase().replaceAll('_', ' ')}</dd>
        <dt>Signature</dt>
        <dd>{order.inspection.signatureStatus.toLowerCase()}</dd>
      </dl>
    </section>
  )
}
