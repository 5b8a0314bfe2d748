import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { feeRateIn, RateField } from '../order/fee-choice.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OUTPUT_CURE, outpointsIn } from '../ui/forms/outpoints.ts'
import { PsbtHandoff } from '../ui/handoff/psbt-handoff.tsx'
import { endName, SpendFacts } from './spend-facts.tsx'

/** The spend that ends all that is signed for an output, TXID:VOUT, as a PSBT to sign elsewhere. */
export function EndElsewhere({ outpoint }: { outpoint: string }) {
  const plan = useMutation({
    mutationFn: async (given: FormData) => {
      const fundingUtxos = outpointsIn(given, 'fundingUtxos')
      const changeAddress = textIn(given, 'changeAddress')
      return market.post('/api/market/outpoints/{outpoint}/self-spend', {
        path: { outpoint },
        body: {
          destinationAddress: textIn(given, 'destinationAddress'),
          ...(fundingUtxos.length > 0 && { fundingUtxos }),
          ...(changeAddress && { changeAddress }),
          ...feeRateIn(given),
        },
      })
    },
  })
  return (
    <details class="card elsewhere">
      <summary>Or sign elsewhere</summary>
      <p class="quiet">
        The answer is a PSBT that moves the output to an address of yours. Nothing is spent here.
      </p>
      <ActionForm
        action={plan}
        submit={plan.mutate}
        button="Make the transaction that ends it"
        pending="Asking…"
        show={(spend) => (
          <>
            <SpendFacts spend={spend} />
            <p>
              Sign it with the key of the output, and broadcast it: once a block holds it, every
              copy of what was signed has ended.
            </p>
            <PsbtHandoff psbt={spend.psbt} name={endName(spend)} />
          </>
        )}
      >
        <Field
          name="destinationAddress"
          label="Address of yours that receives the output"
          hint="The one that holds it now will do."
          cure="Give an address of this network."
        >
          {(ties) => <input {...ties} required maxLength={128} autocomplete="off" />}
        </Field>
        <Field
          name="fundingUtxos"
          label="Outputs of yours that pay the fee, one TXID:VOUT a line (may be empty)"
          hint="Without any, the fee is taken from the output, if nothing is lost by that."
          cure={OUTPUT_CURE}
        >
          {(ties) => <textarea {...ties} rows={2} spellcheck={false} />}
        </Field>
        <Field
          name="changeAddress"
          label="Address of their change (empty: the address above)"
          cure="Give an address of this network."
        >
          {(ties) => <input {...ties} maxLength={128} autocomplete="off" />}
        </Field>
        <RateField />
      </ActionForm>
    </details>
  )
}
