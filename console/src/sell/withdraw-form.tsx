import { useMutation } from '@tanstack/preact-query'
import type { OwnershipChallenge } from 'market-client'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { type FormEvent, textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { Trouble } from '../ui/trouble.tsx'

/** A withdrawal by the owner of the offered output: a challenge, signed elsewhere. */
export function WithdrawForm() {
  const given = new URLSearchParams(useSearch()).get('order') ?? ''
  const [, navigate] = useLocation()
  const challenge = useMutation({
    mutationFn: (id: string) =>
      market.get('/api/market/orders/{id}/ownership-challenge', { path: { id } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const id = textIn(new FormData(event.currentTarget), 'order')
    navigate(`/console/sell/withdraw?${new URLSearchParams({ order: id })}`, { replace: true })
    challenge.mutate(id)
  }
  return (
    <section class="card" aria-labelledby="withdraw">
      <h2 id="withdraw">Withdraw an order</h2>
      <p>
        It ends the publication here. Copies of the signed order stay valid elsewhere: to end those,{' '}
        <Link href="/console/sell/outputs">spend the output</Link>.
      </p>
      <form class="controls" onSubmit={submit}>
        <label class="wide">
          Order id
          <input name="order" required maxLength={64} defaultValue={given} autocomplete="off" />
        </label>
        <button type="submit" disabled={challenge.isPending}>
          Get the message
        </button>
      </form>
      {challenge.error && (
        <div aria-live="polite">
          <Trouble error={challenge.error} />
        </div>
      )}
      {challenge.data && <ProofForm key={challenge.data.message} challenge={challenge.data} />}
    </section>
  )
}

function ProofForm({ challenge }: { challenge: OwnershipChallenge }) {
  const { orderId, address, message, expiresAt } = challenge
  const withdraw = useMutation({
    mutationFn: (proof: { signature: string; reason: string }) =>
      market.post('/api/market/orders/{id}/withdraw', {
        path: { id: orderId },
        body: {
          address,
          signature: proof.signature,
          ...(proof.reason && { reason: proof.reason }),
        },
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    withdraw.mutate({ signature: textIn(given, 'signature'), reason: textIn(given, 'reason') })
  }
  return (
    <>
      <p>
        Sign this message by BIP-322 (simple or full) with the key of{' '}
        <Identifier id={address} name="address" />, before {expiresAt}.
      </p>
      <form class="form" onSubmit={submit}>
        <label>
          Message
          <textarea readOnly rows={10} value={message} />
        </label>
        <label>
          Signature
          <textarea name="signature" rows={3} required maxLength={16_384} spellcheck={false} />
        </label>
        <label>
          Reason, shown to all (may be empty)
          <input name="reason" maxLength={280} autocomplete="off" />
        </label>
        <button type="submit" disabled={withdraw.isPending}>
          {withdraw.isPending ? 'Checking…' : 'Withdraw'}
        </button>
      </form>
      <div aria-live="polite">
        {withdraw.error && <Trouble error={withdraw.error} />}
        {withdraw.data && (
          <p class="verdict">
            <Link href={`/console/orders/${orderId}`}>The order</Link> is{' '}
            <StateBadge state={withdraw.data.state} />
          </p>
        )}
      </div>
    </>
  )
}
