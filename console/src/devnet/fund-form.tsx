import { useMutation } from '@tanstack/preact-query'
import { play } from '../api/devnet-control.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { satsIn } from '../ui/values/amounts.ts'
import { Identifier } from '../ui/values/identifier.tsx'

/** Coins for an address of one's own wallet on this chain. */
export function FundForm() {
  const fund = useMutation({
    mutationFn: (given: FormData) =>
      play('fund', { address: textIn(given, 'address'), sats: satsIn(textIn(given, 'sats')) }),
  })
  return (
    <section class="card" aria-labelledby="fund">
      <h2 id="fund">Fund an address</h2>
      <ActionForm
        action={fund}
        submit={fund.mutate}
        button="Fund"
        layout="controls"
        stays
        show={({ outpoint: { txid, vout } }) => (
          <p>
            Sent, in <Identifier id={`${txid}:${vout}`} name="output" />
          </p>
        )}
      >
        <Field
          name="address"
          label="Address (bcrt1…)"
          cure="Give an address of regtest, which begins with bcrt1."
          isWide
        >
          {(ties) => <input {...ties} required maxLength={100} autocomplete="off" />}
        </Field>
        <Field name="sats" label="Sats" cure="Write whole sats, such as 100 000.">
          {(ties) => <input {...ties} required defaultValue="100000" />}
        </Field>
      </ActionForm>
    </section>
  )
}
