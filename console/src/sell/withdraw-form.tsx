import { useMutation } from '@tanstack/preact-query'
import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { NotFoundError, type OwnershipChallenge } from 'psbt-market-client'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { FieldError } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { CopyButton } from '../ui/handoff/copy-button.tsx'
import { Countdown } from '../ui/values/countdown.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'
import { offeredIn } from './offered-in.ts'

const Withdrawing = lazy(async () => (await import('./withdraw-steps.tsx')).Withdrawing)
/** The encoder is loaded when the code is shown. */
const QrCode = lazy(async () => (await import('../frames/qr-code.tsx')).QrCode)

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
    mutationFn: challengeOf,
  })
  const ask = (form: FormData) => {
    const id = textIn(form, 'id')
    navigate(`/console/sell/withdraw?${new URLSearchParams({ order: id })}`, { replace: true })
    challenge.mutate(id)
  }
  return (
    <section class="card" aria-labelledby="withdraw">
      <h2 id="withdraw">Withdraw an order, signed elsewhere</h2>
      <p>
        It ends the publication here. Copies of the signed order stay valid elsewhere: to end those,{' '}
        <Link href={endOf(challenge.data?.message)}>spend the output</Link>.
      </p>
      {/* The message names its order: what is pasted below is for that one, and stays. */}
      <ActionForm action={challenge} submit={ask} button="Get the message" layout="controls" stays>
        <Field name="id" label="Order id" isWide>
          {(ties) => (
            <input {...ties} required maxLength={64} defaultValue={given} autocomplete="off" />
          )}
        </Field>
      </ActionForm>
      {challenge.data && <ProofForm key={challenge.data.message} challenge={challenge.data} />}
    </section>
  )
}

/** Where the signature is ended that the message of a withdrawal is about. */
function endOf(message: string | undefined): string {
  const outpoint = message === undefined ? null : offeredIn(message)
  return `/console/sell/outputs${outpoint === null ? '' : `?of=${outpoint}`}`
}

/** @throws FieldError where there is no such order */
async function challengeOf(id: string): Promise<OwnershipChallenge> {
  try {
    return await market.get('/api/market/orders/{id}/ownership-challenge', { path: { id } })
  } catch (error) {
    if (error instanceof NotFoundError) throw new FieldError('id', NO_ORDER)
    throw error
  }
}

const NO_ORDER = 'No such order. Copy its id from its page, which the book or Find leads to.'

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
        Sign this message by BIP-322 (simple or full), with the key of the address below.{' '}
        <Countdown until={expiresAt} />
      </p>
      <p>
        Address: <ExploredId of="address" id={address} name="address" />
      </p>
      <ActionForm
        action={withdraw}
        submit={withdraw.mutate}
        button="Withdraw"
        pending="Checking…"
        stays
        show={({ state }) => (
          <>
            <p class="verdict">
              <Link href={`/console/orders/${orderId}`}>The order</Link> is{' '}
              <StateBadge state={state} />
            </p>
            <p>
              Copies of the signed order stay valid until its output is spent:{' '}
              <Link href={endOf(message)}>end them</Link>.
            </p>
          </>
        )}
      >
        <MessageHandoff message={message} />
        <SigningHints end={endOf(message)} />
        <Field
          name="signature"
          label="Signature: the base64 that the wallet shows, or witness of ord"
          cure="Sign the message again by BIP-322, with the key of the address above."
        >
          {(ties) => <textarea {...ties} rows={3} required maxLength={16_384} spellcheck={false} />}
        </Field>
        <Field
          name="reason"
          label="Reason, shown to all (may be empty)"
          cure="Write at most 280 characters."
        >
          {(ties) => <input {...ties} maxLength={280} autocomplete="off" />}
        </Field>
      </ActionForm>
    </>
  )
}

/** The message on its way to a wallet: to copy, and as a code for the camera of a phone. */
export function MessageHandoff({ message }: { message: string }) {
  const [showsQr, setShowsQr] = useState(false)
  return (
    <>
      <label>
        Message
        <textarea readOnly rows={10} value={message} />
      </label>
      <div class="row">
        <CopyButton text={message} label="Copy the message" />
        <button type="button" class="plain" onClick={() => setShowsQr(!showsQr)}>
          {showsQr ? 'Hide the QR code' : 'Show as a QR code'}
        </button>
        <span class="quiet">
          Choose BIP-322 where the wallet offers it: an old-style (ECDSA) signature proves nothing
          here.
        </span>
      </div>
      {showsQr && (
        <Suspense fallback={<p class="quiet">Drawing…</p>}>
          <QrCode text={message} label="The message as a QR code" />
        </Suspense>
      )}
    </>
  )
}

/** Where each wallet signs a message by BIP-322, and which cannot. */
const SigningHints = ({ end }: { end: string }) => (
  <details>
    <summary>Where your wallet signs it</summary>
    <ul>
      <li>Xverse, Leather, UniSat, OKX: connect them above. They sign it without a form.</li>
      <li>
        Sparrow: <i>Tools</i>, <i>Sign/Verify Message</i>, format <i>BIP322</i>; not with a key on a
        Ledger or a Trezor.
      </li>
      <li>
        ord: <code>ord wallet sign --signer ADDRESS --text MESSAGE</code>; paste its{' '}
        <code>witness</code>.
      </li>
      <li>
        Bitcoin Core and most hardware wallets sign no message by BIP-322. They can still end the
        signature: <Link href={end}>spend the output</Link>.
      </li>
    </ul>
    <p>
      <a href="/guide/wallets.html#messages">More about each</a>
    </p>
  </details>
)
