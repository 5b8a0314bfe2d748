import { type UseMutationResult, useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { BuildAskResult, OrderSummary, ProtocolTemplate } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { FieldError } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { groupedSats, satsIn } from '../ui/values/amounts.ts'
import { Identifier, shortened } from '../ui/values/identifier.tsx'
import { NetNotice } from '../ui/values/net-notice.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, type Sellable, sellableOf } from '../wallet/own-outputs.ts'
import { useStepSignal } from '../wallet/step-signal.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_SINGLE_ANYONECANPAY } from '../wallet/wallet-port.ts'
import { EarlierNotice, GiftCheck, NetOf, signedPriceOf } from './loss-notice.tsx'
import { PriceField } from './price-field.tsx'

interface BuiltForWallet {
  built: BuildAskResult
  sold: Sellable
  /** The lowest price that it was signed for before. */
  signed: string | null
}

interface SellParts {
  connection: Connection
  market: ProtocolTemplate
}

/** A listing by a wallet in the browser. */
export const Selling = ({ market: template }: Pick<SellParts, 'market'>) => (
  <WithWallet>{(connection) => <SellSteps connection={connection} market={template} />}</WithWallet>
)

/** One of its own inscriptions, a price, a signature. */
function SellSteps({ connection, market: template }: SellParts) {
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
        <SellForm key={template.id} own={sellable} connection={connection} market={template} />
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

function SellForm({ own, connection, market: template }: SellParts & { own: Sellable[] }) {
  const [sold, setSold] = useState('0')
  const [price, setPrice] = useState('')
  const build = useMutation({
    mutationFn: async (given: FormData): Promise<BuiltForWallet> => {
      const chosen = own[Number(textIn(given, 'sold'))]
      if (!chosen) throw new FieldError('sold', 'Choose what is sold.')
      const { inscriptionId, outpoint } = chosen
      const built = await market.post('/api/market/orders/build', {
        body: {
          protocolId: template.id,
          token: textIn(given, 'token'),
          quotedPriceSats: satsIn(textIn(given, 'quotedPriceSats')),
          sellerPaymentAddress: addressFor(connection, 'payments').address,
          asset: { inscriptionId, outpoint },
        },
      })
      return { built, sold: chosen, signed: await signedPriceOf(outpoint) }
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
      <div class="two">
        <label>
          What is sold
          <select name="sold" onChange={({ currentTarget }) => setSold(currentTarget.value)}>
            {own.map(({ inscriptionId, valueSats }, at) => (
              <option key={inscriptionId} value={at}>
                {shortened(inscriptionId)}, in {groupedSats(valueSats)} sats
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
          {(ties) => <input {...ties} required maxLength={64} defaultValue="inscription" />}
        </Field>
      </div>
      {!build.data && <NetOf price={price} held={own[Number(sold)]?.valueSats} />}
    </ActionForm>
  )
}

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
        The inscription that you sell: <Identifier id={of.sold.inscriptionId} name="inscription" />
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
