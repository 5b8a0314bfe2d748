import { type UseMutationResult, useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { BuildAskResult, OrderSummary, ProtocolTemplate } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ExploredId } from '../content/explored-id.tsx'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { FieldError } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { satsIn } from '../ui/values/amounts.ts'
import { NetNotice } from '../ui/values/net-notice.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, type Sellable, sellableOf } from '../wallet/own-outputs.ts'
import { useStepSignal } from '../wallet/step-signal.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_SINGLE_ANYONECANPAY } from '../wallet/wallet-port.ts'
import { EarlierNotice, GiftCheck, NetOf, signedPriceOf } from './loss-notice.tsx'
import { OwnChoice, OwnTitle, useLabelsOf } from './own-choice.tsx'
import { PriceField } from './price-field.tsx'

interface BuiltForWallet {
  built: BuildAskResult
  sold: Sellable
  /** Where buyers find it. */
  label: { market: string; token: string }
  /** The lowest price that it was signed for before. */
  signed: string | null
}

interface SellParts {
  connection: Connection
  /** Where inscriptions are listed. */
  markets: readonly ProtocolTemplate[]
}

/** A listing by a wallet in the browser. */
export const Selling = ({ markets }: Pick<SellParts, 'markets'>) => (
  <WithWallet>{(connection) => <SellSteps connection={connection} markets={markets} />}</WithWallet>
)

/** One of its own inscriptions, a price, a signature. */
function SellSteps({ connection, markets }: SellParts) {
  const { address } = addressFor(connection, 'assets')
  const own = useQuery({
    queryKey: ['sellable', address],
    queryFn: () => sellableOf(connection),
    // Read when the page is opened: it must not change below a published order.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!own.data) return <Waiting query={own} isOpened />
  const { own: sellable, isCut } = own.data
  return (
    <>
      {sellable.length === 0 ? (
        <p class="empty">
          {isCut ? 'Nothing that was looked at' : 'No inscription of the wallet'} can be listed:
          each must be alone in a confirmed output that no order here offers yet.{' '}
          <Link href={`/console/sell/outputs?${new URLSearchParams({ of: address })}`}>
            See what is offered already
          </Link>
        </p>
      ) : (
        <SellForm own={sellable} connection={connection} markets={markets} />
      )}
      {isCut && (
        <p class="quiet">
          The wallet may hold more than was looked at: list another by its output, under “Or sign
          elsewhere”.
        </p>
      )}
    </>
  )
}

function SellForm({ own, connection, markets }: SellParts & { own: Sellable[] }) {
  const [at, setAt] = useState(0)
  const labels = useLabelsOf(own[at], markets)
  const [price, setPrice] = useState('')
  const build = useMutation({
    mutationFn: async (given: FormData): Promise<BuiltForWallet> => {
      const chosen = own[Number(textIn(given, 'sold'))]
      if (!chosen) throw new FieldError('sold', 'Choose what is sold.')
      const { inscriptionId, outpoint } = chosen
      const [protocolId, token] = [textIn(given, 'protocolId'), textIn(given, 'token')]
      const built = await market.post('/api/market/orders/build', {
        body: {
          protocolId,
          token,
          quotedPriceSats: satsIn(textIn(given, 'quotedPriceSats')),
          sellerPaymentAddress: addressFor(connection, 'payments').address,
          asset: { inscriptionId, outpoint },
        },
      })
      const label = { market: labelOf(markets, protocolId), token }
      return { built, sold: chosen, label, signed: await signedPriceOf(outpoint) }
    },
  })
  const publish = useMutation({
    mutationFn: (psbt: string) => market.post('/api/market/orders/publish', { body: { psbt } }),
  })
  const reset = () => {
    // What was sent is said, whatever is typed meanwhile.
    if (publish.isPending) return
    publish.reset()
    build.reset()
  }
  return (
    <ActionForm
      action={{ ...build, isPending: build.isPending || publish.isPending, reset }}
      submit={(given) => {
        publish.reset()
        build.mutate(given)
      }}
      button="Show what I receive"
      pending="Verifying…"
      show={(of) => (
        <SignAndPublish key={of.built.psbt} of={of} connection={connection} publish={publish} />
      )}
    >
      <OwnChoice own={own} at={at} choose={setAt} />
      <div class="two">
        <label>
          Collection type
          <select
            name="protocolId"
            value={labels.market}
            onChange={({ currentTarget }) => labels.write({ market: currentTarget.value })}
          >
            {markets.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <PriceField label="Price, sats (with those of the output)" change={setPrice} />
        <Field
          name="token"
          label="Token, a name for search"
          cure="Write a name of at most 64 characters."
        >
          {(ties) => (
            <input
              {...ties}
              required
              maxLength={64}
              value={labels.token}
              onInput={({ currentTarget }) => labels.write({ token: currentTarget.value })}
            />
          )}
        </Field>
      </div>
      {!build.data && <NetOf price={price} held={own[at]?.valueSats} />}
    </ActionForm>
  )
}

const labelOf = (markets: readonly ProtocolTemplate[], id: string): string =>
  markets.find((one) => one.id === id)?.label ?? id

interface SignParts {
  of: BuiltForWallet
  connection: Connection
  publish: UseMutationResult<OrderSummary, Error, string>
}

function SignAndPublish({ of, connection, publish }: SignParts) {
  const { inspection, psbt } = of.built
  const [isGift, setGift] = useState(false)
  const paid = inspection.outputValuesSats[0] ?? '0'
  const isLoss = inspection.reasons.includes('payout_below_input')
  const signal = useStepSignal()
  const sign = useMutation({
    mutationFn: async () => {
      const { address } = of.sold
      const toSign = [{ index: 0, address, sighash: SIGN_SINGLE_ANYONECANPAY }] as const
      const { signWith } = await import('../wallet/connection.ts')
      const signed = await signWith(connection, psbt, toSign, { signal })
      return publish.mutateAsync(signed.psbt)
    },
  })
  if (publish.data) {
    const { id, state } = publish.data
    return (
      <p class="verdict">
        Published: <Link href={`/console/orders/${id}`}>your order</Link> is{' '}
        <StateBadge state={state} />
      </p>
    )
  }
  return (
    <>
      <p>
        The inscription that you sell: <OwnTitle of={of.sold} />,{' '}
        <ExploredId of="inscription" id={of.sold.inscriptionId} name="inscription" />
      </p>
      <p>
        It is listed under {of.label.market}, as <bdi class="stranger">{of.label.token}</bdi>: no
        other label can be given to it later.
      </p>
      <NetNotice paid={paid} held={inspection.inputWitnessUtxos[0]?.valueSats ?? '0'} />
      <EarlierNotice outpoint={of.sold.outpoint} paid={paid} signed={of.signed} />
      {isLoss && <GiftCheck isGift={isGift} change={setGift} />}
      <p class="quiet">Once published, anyone can buy it until the output is spent.</p>
      <button
        type="button"
        disabled={sign.isPending || (isLoss && !isGift)}
        onClick={() => sign.mutate()}
      >
        {sign.isPending ? 'Confirm it in the wallet…' : 'Sign and publish'}
      </button>
      {sign.error !== null && <Trouble error={sign.error} />}
    </>
  )
}
