import { useMutation } from '@tanstack/preact-query'
import type { Quote } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { textIn } from '../ui/form-text.ts'
import { outpointsOf } from '../ui/outpoints.ts'
import { PsbtHandoff } from '../ui/psbt-handoff.tsx'
import { QuoteFacts } from './quote-facts.tsx'

/** A purchase laid out for a buyer's outputs, as a PSBT to sign elsewhere. */
export function QuoteForm({ orderId }: { orderId: string }) {
  const quote = useMutation({
    mutationFn: async (given: FormData) => {
      const rate = textIn(given, 'feeRate')
      return market.post('/api/market/orders/{id}/quote', {
        path: { id: orderId },
        body: {
          assetReceiveAddress: textIn(given, 'receive'),
          paymentAddress: textIn(given, 'payment'),
          paddingUtxos: outpointsOf(textIn(given, 'paddings')),
          fundingUtxos: outpointsOf(textIn(given, 'funding')),
          ...(rate && { feeRateSatsPerVb: rate }),
        },
      })
    },
  })
  return (
    <section class="card" aria-labelledby="quote">
      <h2 id="quote">Or sign elsewhere</h2>
      <p class="quiet">
        Name outputs of yours; the answer is a PSBT that your wallet signs. Nothing is spent here.
      </p>
      <ActionForm
        action={quote}
        submit={quote.mutate}
        button="Quote"
        pending="Asking…"
        show={(answer) => <QuoteView quote={answer} />}
      >
        <div class="two">
          <label>
            Address that receives the asset
            <input name="receive" required maxLength={100} autocomplete="off" />
          </label>
          <label>
            Address that receives the change: another one
            <input
              name="payment"
              required
              maxLength={100}
              autocomplete="off"
              onInput={({ currentTarget }) => requireAnother(currentTarget)}
            />
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
      </ActionForm>
    </section>
  )
}

/** The asset would come back as change: the browser says so at the field. */
function requireAnother(payment: HTMLInputElement): void {
  const receive = payment.form?.elements.namedItem('receive')
  const isSame =
    receive instanceof HTMLInputElement && receive.value.trim() === payment.value.trim()
  payment.setCustomValidity(isSame ? SAME_ADDRESS : '')
}

const SAME_ADDRESS =
  'The asset must not go where the change goes: add a second address to your wallet, of another type.'

const QuoteView = ({ quote }: { quote: Quote }) => (
  <>
    <QuoteFacts quote={quote} />
    <PsbtHandoff psbt={quote.psbt} name={`purchase-${quote.orderId}`} />
  </>
)
