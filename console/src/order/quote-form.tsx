import { useMutation } from '@tanstack/preact-query'
import type { Quote } from 'market-client'
import { market } from '../api/market.ts'
import { Age } from '../ui/age.tsx'
import { Amount } from '../ui/amount.tsx'
import { outpointsOf } from '../ui/outpoints.ts'
import { PsbtHandoff } from '../ui/psbt-handoff.tsx'
import { Trouble } from '../ui/trouble.tsx'

/** A purchase laid out for a buyer's outputs, as a PSBT to sign elsewhere. */
export function QuoteForm({ orderId }: { orderId: string }) {
  const quote = useMutation({
    mutationFn: async (given: FormData) => {
      const text = (name: string) => String(given.get(name) ?? '').trim()
      const rate = text('feeRate')
      return market.post('/api/market/orders/{id}/quote', {
        path: { id: orderId },
        body: {
          assetReceiveAddress: text('receive'),
          paymentAddress: text('payment'),
          paddingUtxos: outpointsOf(text('paddings')),
          fundingUtxos: outpointsOf(text('funding')),
          ...(rate && { feeRateSatsPerVb: rate }),
        },
      })
    },
  })
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    quote.mutate(new FormData(event.currentTarget))
  }
  return (
    <section class="card" aria-labelledby="quote">
      <h2 id="quote">Quote a purchase</h2>
      <p class="quiet">
        Name outputs of yours; the answer is a PSBT that your wallet signs. Nothing is spent here.
      </p>
      <form class="form" onSubmit={submit}>
        <div class="two">
          <label>
            Address that receives the asset
            <input name="receive" required maxLength={100} autocomplete="off" />
          </label>
          <label>
            Address that receives the change
            <input name="payment" required maxLength={100} autocomplete="off" />
          </label>
          <label>
            Two small outputs of yours (padding), one TXID:VOUT a line
            <textarea name="paddings" rows={2} required />
          </label>
          <label>
            Outputs that pay, one TXID:VOUT a line
            <textarea name="funding" rows={2} required />
          </label>
          <label>
            Fee rate, sats per vbyte (empty: the node’s estimate)
            <input name="feeRate" inputMode="decimal" autocomplete="off" />
          </label>
        </div>
        <button type="submit" disabled={quote.isPending}>
          {quote.isPending ? 'Asking…' : 'Quote'}
        </button>
      </form>
      <div aria-live="polite">
        {quote.error && <Trouble error={quote.error} />}
        {quote.data && <QuoteView quote={quote.data} />}
      </div>
    </section>
  )
}

function QuoteView({ quote }: { quote: Quote }) {
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
      <PsbtHandoff psbt={quote.psbt} name={`purchase-${quote.orderId}`} />
    </>
  )
}
