import { useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { BuildAskResult, ProtocolTemplate } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { groupedSats } from '../ui/amounts.ts'
import { textIn } from '../ui/form-text.ts'
import { shortened } from '../ui/identifier.tsx'
import { StateBadge } from '../ui/state-badge.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { Waiting } from '../ui/waiting.tsx'
import type { Connection } from '../wallet/connection.ts'
import { addressFor, type Sellable, sellableOf } from '../wallet/own-outputs.ts'
import { WithWallet } from '../wallet/wallet-chooser.tsx'
import { SIGN_SINGLE_ANYONECANPAY } from '../wallet/wallet-port.ts'
import { GiftCheck, NetNotice } from './loss-notice.tsx'

interface Built {
  built: BuildAskResult
  /** The owner of what is sold. */
  address: string
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
  const own = useQuery({
    queryKey: ['sellable', addressFor(connection, 'assets').address],
    queryFn: () => sellableOf(connection),
    // Read when the page is opened: it must not change below a published order.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (!own.data) return <Waiting query={own} isOpened />
  if (own.data.length === 0) {
    return (
      <p class="empty">
        The wallet holds no inscription that can be listed: each must be alone in a confirmed output
        that no order here offers yet.
      </p>
    )
  }
  return <SellForm key={template.id} own={own.data} connection={connection} market={template} />
}

function SellForm({ own, connection, market: template }: SellParts & { own: Sellable[] }) {
  const build = useMutation({
    mutationFn: async (given: FormData): Promise<Built> => {
      const sold = own[Number(textIn(given, 'sold'))]
      if (!sold) throw new Error('Choose what is sold.')
      const { inscriptionId, outpoint, address } = sold
      const built = await market.post('/api/market/orders/build', {
        body: {
          protocolId: template.id,
          token: textIn(given, 'token'),
          quotedPriceSats: textIn(given, 'price').replace(/\s/g, ''),
          sellerPaymentAddress: addressFor(connection, 'payments').address,
          asset: { inscriptionId, outpoint },
        },
      })
      return { built, address }
    },
  })
  return (
    <ActionForm
      action={build}
      submit={build.mutate}
      button="Show what I receive"
      pending="Verifying…"
      show={(of) => <SignAndPublish key={of.built.psbt} of={of} connection={connection} />}
    >
      <div class="two">
        <label>
          What is sold
          <select name="sold">
            {own.map(({ inscriptionId, valueSats }, at) => (
              <option key={inscriptionId} value={at}>
                {shortened(inscriptionId)}, in {groupedSats(valueSats)} sats
              </option>
            ))}
          </select>
        </label>
        <label>
          Price, sats (with those of the output)
          <input name="price" required inputMode="numeric" autocomplete="off" />
        </label>
        <label>
          Token, a name for search
          <input name="token" required maxLength={64} defaultValue="inscription" />
        </label>
      </div>
    </ActionForm>
  )
}

function SignAndPublish({ of, connection }: { of: Built; connection: Connection }) {
  const { inspection, psbt } = of.built
  const [isGift, setGift] = useState(false)
  const isLoss = inspection.reasons.includes('payout_below_input')
  const publish = useMutation({
    mutationFn: async () => {
      const toSign = [{ index: 0, address: of.address, sighash: SIGN_SINGLE_ANYONECANPAY }] as const
      const { signWith } = await import('../wallet/connection.ts')
      const signed = await signWith(connection, psbt, toSign)
      return market.post('/api/market/orders/publish', { body: { psbt: signed.psbt } })
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
      <NetNotice
        paid={inspection.outputValuesSats[0] ?? '0'}
        held={inspection.inputWitnessUtxos[0]?.valueSats ?? '0'}
      />
      {isLoss && <GiftCheck isGift={isGift} change={setGift} />}
      <p class="quiet">Once published, anyone can buy it until the output is spent.</p>
      <button
        type="button"
        disabled={publish.isPending || (isLoss && !isGift)}
        onClick={() => publish.mutate()}
      >
        {publish.isPending ? 'Confirm it in the wallet…' : 'Sign and publish'}
      </button>
      {publish.error !== null && <Trouble error={publish.error} />}
    </>
  )
}
