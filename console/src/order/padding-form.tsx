import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OUTPUT_CURE, outpointsIn } from '../ui/forms/outpoints.ts'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { Amount } from '../ui/values/amount.tsx'
import { feeRateIn, RateField } from './fee-choice.tsx'
import { PADDING_IS } from './padding-words.ts'

/** Paddings, as a PSBT to sign elsewhere. */
export function PaddingForm() {
  const plan = useMutation({
    mutationFn: async (given: FormData) =>
      market.post('/api/market/operations/paddings', {
        body: {
          paymentAddress: textIn(given, 'paymentAddress'),
          fundingUtxos: outpointsIn(given, 'fundingUtxos'),
          ...feeRateIn(given),
        },
      }),
  })
  return (
    <>
      <p class="quiet">{PADDING_IS}</p>
      <ActionForm
        action={plan}
        submit={plan.mutate}
        button="Make two small outputs"
        pending="Asking…"
        show={(made) => (
          <>
            <p>
              Two of 600 sats and your change, for <Amount sats={made.networkFeeSats} />. Sign it,
              broadcast it, and name outputs 0 and 1 of it above once a block holds it.
            </p>
            <PsbtHandoff psbt={made.psbt} name="padding" />
          </>
        )}
      >
        <Field
          name="paymentAddress"
          label="Your payment address"
          cure="Give an address of this network."
        >
          {(ties) => <input {...ties} required maxLength={100} autocomplete="off" />}
        </Field>
        <Field
          name="fundingUtxos"
          label="Outputs of yours that pay for them, one TXID:VOUT a line"
          cure={OUTPUT_CURE}
        >
          {(ties) => <textarea {...ties} rows={2} required spellcheck={false} />}
        </Field>
        <RateField />
      </ActionForm>
    </>
  )
}
