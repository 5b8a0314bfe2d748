import { useMutation } from '@tanstack/preact-query'
import type { OrderSummary, Quote } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field, type FieldTies } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OUTPUT_CURE, outpointsIn } from '../ui/forms/outpoints.ts'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { FeeChoice, feeRateIn } from './fee-choice.tsx'
import { PaddingForm } from './padding-form.tsx'
import { QuoteFacts } from './quote-facts.tsx'
import { byOwnClock, useHasExpired } from './quote-life.ts'

/** A purchase laid out for a buyer's outputs, as a PSBT to sign elsewhere. */
export function QuoteForm({ order }: { order: OrderSummary }) {
  const quote = useMutation({
    mutationFn: async (given: FormData) => {
      const askedAtMs = Date.now()
      const answer = await market.post('/api/market/orders/{id}/quote', {
        path: { id: order.id },
        body: {
          assetReceiveAddress: textIn(given, 'assetReceiveAddress'),
          paymentAddress: textIn(given, 'paymentAddress'),
          paddingUtxos: outpointsIn(given, 'paddingUtxos'),
          fundingUtxos: outpointsIn(given, 'fundingUtxos'),
          ...feeRateIn(given),
        },
      })
      return byOwnClock(answer, askedAtMs)
    },
  })
  return (
    <section aria-labelledby="quote">
      <h2 id="quote">Quote</h2>
      <p class="quiet">
        Name outputs of yours; the answer is a PSBT that your wallet signs. Nothing is spent here.
      </p>
      <ActionForm
        action={quote}
        submit={quote.mutate}
        button="Quote"
        pending="Asking…"
        show={(answer, again) => <QuoteView quote={answer} order={order} again={again} />}
      >
        <Field
          name="assetReceiveAddress"
          label="Address that receives the asset"
          cure="Give an address of this network, another than that of the change."
        >
          {addressInput}
        </Field>
        <Field
          name="paymentAddress"
          label="Address that receives the change: another one"
          cure="Give an address of this network, another than that of the asset."
        >
          {addressInput}
        </Field>
        <Field
          name="paddingUtxos"
          label="Two small outputs of yours (padding), one TXID:VOUT a line"
          hint="600 sats each are enough: they come back to you, and keep the asset in its place."
          cure={`Name two. ${OUTPUT_CURE}`}
        >
          {(ties) => <textarea {...ties} rows={2} required spellcheck={false} />}
        </Field>
        <Field
          name="fundingUtxos"
          label="Outputs that pay, one TXID:VOUT a line"
          cure={OUTPUT_CURE}
        >
          {(ties) => <textarea {...ties} rows={2} required spellcheck={false} />}
        </Field>
        <FeeChoice vbytes={quote.data?.estimatedVbytes} />
      </ActionForm>
      <details>
        <summary>No small outputs? Make them</summary>
        <PaddingForm />
      </details>
    </section>
  )
}

/** Either of the two addresses, which are compared while they are typed. */
const addressInput = (ties: FieldTies) => (
  <input
    {...ties}
    required
    maxLength={100}
    autocomplete="off"
    onInput={({ currentTarget }) => requireAnother(currentTarget.form)}
  />
)

/** The asset would come back as change: the browser says so at the field of the change. */
function requireAnother(form: HTMLFormElement | null): void {
  const receive = form?.elements.namedItem('assetReceiveAddress')
  const payment = form?.elements.namedItem('paymentAddress')
  if (!(receive instanceof HTMLInputElement && payment instanceof HTMLInputElement)) return
  const [asset, change] = [receive.value.trim(), payment.value.trim()]
  payment.setCustomValidity(change !== '' && asset === change ? SAME_ADDRESS : '')
}

const SAME_ADDRESS =
  'The asset must not go where the change goes: add a second address to your wallet, of another type.'

interface QuoteParts {
  quote: Quote
  order: OrderSummary
  again(): void
}

function QuoteView({ quote, order, again }: QuoteParts) {
  const isOver = useHasExpired(quote)
  return (
    <>
      <QuoteFacts quote={quote} order={order} />
      {isOver ? (
        <>
          <p>
            Fees and the order may have changed since. One that you have signed already is still
            checked below.
          </p>
          <button type="button" onClick={again}>
            Quote again
          </button>
        </>
      ) : (
        <PsbtHandoff psbt={quote.psbt} name={`purchase-${quote.orderId}`} />
      )}
    </>
  )
}
