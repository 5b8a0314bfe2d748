import { useMutation } from '@tanstack/preact-query'
import { Identifier } from '../ui/identifier.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { play } from './devnet-control.ts'

/** Coins for an address of one's own wallet on this chain. */
export function FundForm() {
  const fund = useMutation({
    mutationFn: (given: FormData) =>
      play('fund', { address: String(given.get('address')), sats: String(given.get('sats')) }),
  })
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    fund.mutate(new FormData(event.currentTarget))
  }
  return (
    <section class="card" aria-labelledby="fund">
      <h2 id="fund">Fund an address</h2>
      <form class="controls" onSubmit={submit}>
        <label class="wide">
          Address (bcrt1…)
          <input name="address" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Sats
          <input name="sats" required inputMode="numeric" defaultValue="100000" />
        </label>
        <button type="submit" disabled={fund.isPending}>
          Fund
        </button>
      </form>
      <div aria-live="polite">
        {fund.error && <Trouble error={fund.error} />}
        {fund.data && (
          <p>
            Sent, in{' '}
            <Identifier
              id={`${fund.data.outpoint.txid}:${fund.data.outpoint.vout}`}
              name="output"
            />
          </p>
        )}
      </div>
    </section>
  )
}
