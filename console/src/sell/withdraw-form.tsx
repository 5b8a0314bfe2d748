import { useMutation } from '@tanstack/preact-query'
import { lazy } from 'preact/compat'
import type { OwnershipChallenge } from 'psbt-market-client'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'

const Withdrawing = lazy(async () => (await import('./withdraw-steps.tsx')).Withdrawing)

/** A withdrawal by the owner of the offered output: by a wallet here, or signed elsewhere. */
export function WithdrawForm() {
  const given = new URLSearchParams(useSearch()).get('order') ?? ''
  return (
    <>
      {given && (
        <WalletSection id="withdraw-here" title="Withdraw with your wallet">
          <Withdrawing key={given} orderId={given} />
        </WalletSection>
      )}
      <WithdrawElsewhere given={given} />
    </>
  )
}

/** With the message signed elsewhere. */
function WithdrawElsewhere({ given }: { given: string }) {
  const [, navigate] = useLocation()
  const challenge = useMutation({
    mutationFn: (id: string) =>
      market.get('/api/market/orders/{id}/ownership-challenge', { path: { id } }),
  })
  const ask = (form: FormData) => {
    const id = textIn(form, 'order')
    navigate(`/console/sell/withdraw?${new URLSearchParams({ order: id })}`, { replace: true })
    challenge.mutate(id)
  }
  return (
    <section class="card" aria-labelledby="withdraw">
      <h2 id="withdraw">Withdraw an order, signed elsewhere</h2>
      <p>
        It ends the publication here. Copies of the signed order stay valid elsewhere: to end those,{' '}
        <Link href="/console/sell/outputs">spend the output</Link>.
      </p>
      <ActionForm action={challenge} submit={ask} button="Get the message" layout="controls">
        <label class="wide">
          Order id
          <input name="order" required maxLength={64} defaultValue={given} autocomplete="off" />
        </label>
      </ActionForm>
      {challenge.data && <ProofForm key={challenge.data.message} challenge={challenge.data} />}
    </section>
  )
}

function ProofForm({ challenge }: { challenge: OwnershipChallenge }) {
  const { orderId, address, message, expiresAt } = challenge
  const withdraw = useMutation({
    mutationFn: (given: FormData) => {
      const reason = textIn(given, 'reason')
      return market.post('/api/market/orders/{id}/withdraw', {
        path: { id: orderId },
        body: { address, signature: textIn(given, 'signature'), ...(reason && { reason }) },
      })
    },
  })
  return (
    <>
      <p>
        Sign this message by BIP-322 (simple or full) with the key of{' '}
        <Identifier id={address} name="address" />, before {expiresAt}.
      </p>
      <ActionForm
        action={withdraw}
        submit={withdraw.mutate}
        button="Withdraw"
        pending="Checking…"
        show={({ state }) => (
          <p class="verdict">
            <Link href={`/console/orders/${orderId}`}>The order</Link> is{' '}
            <StateBadge state={state} />
          </p>
        )}
      >
        <label>
          Message
          <textarea readOnly rows={10} value={message} />
        </label>
        <p class="row">
          <CopyButton text={message} label="Copy the message" />
          <span class="quiet">
            Choose BIP-322 where the wallet offers it: an old-style (ECDSA) signature proves nothing
            here. <a href="/guide/wallets/#messages">Which wallets sign it</a>
          </span>
        </p>
        <label>
          Signature
          <textarea name="signature" rows={3} required maxLength={16_384} spellcheck={false} />
        </label>
        <label>
          Reason, shown to all (may be empty)
          <input name="reason" maxLength={280} autocomplete="off" />
        </label>
      </ActionForm>
    </>
  )
}
