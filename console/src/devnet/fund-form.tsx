import { useMutation } from '@tanstack/preact-query'
import { play } from '../api/devnet-control.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'

/** Coins for an address of one's own wallet on this chain. */
export function FundForm() {
  const fund = useMutation({
    mutationFn: (given: FormData) =>
      play('fund', { address: textIn(given, 'address'), sats: textIn(given, 'sats') }),
  })
  return (
    <section class="card" aria-labelledby="fund">
      <h2 id="fund">Fund an address</h2>
      <ActionForm
        action={fund}
        submit={fund.mutate}
        button="Fund"
        layout="controls"
        show={({ outpoint: { txid, vout } }) => (
          <p>
            Sent, in <Identifier id={`${txid}:${vout}`} name="output" />
          </p>
        )}
      >
        <label class="wide">
          Address (bcrt1…)
          <input name="address" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Sats
          <input name="sats" required inputMode="numeric" defaultValue="100000" />
        </label>
      </ActionForm>
    </section>
  )
}
