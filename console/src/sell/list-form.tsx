import { useMutation } from '@tanstack/preact-query'
import { lazy } from 'preact/compat'
import { useState } from 'preact/hooks'
import type { BuildAskResult, ProtocolTemplate } from 'psbt-market-client'
import { useCatalog } from '../api/catalog.ts'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { textIn } from '../ui/form-text.ts'
import { outpointOf } from '../ui/outpoints.ts'
import { PsbtHandoff } from '../ui/psbt-handoff.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { WalletSection } from '../ui/wallet-section.tsx'
import { GiftCheck, NetNotice } from './loss-notice.tsx'
import { PublishForm } from './publish-form.tsx'

const Selling = lazy(async () => (await import('./sell-steps.tsx')).Selling)

/** A listing by a wallet in the browser, or in three steps: build, sign elsewhere, publish. */
export function ListForm() {
  const query = useCatalog()
  const markets = query.data?.filter(({ capabilities }) => capabilities.createListing) ?? []
  const ofInscriptions = markets.find(({ assetRequirement }) => assetRequirement === 'INSCRIPTION')
  return (
    <>
      <Waiting query={query} />
      {ofInscriptions && (
        <WalletSection id="sell" title="Sell with your wallet">
          <Selling market={ofInscriptions} />
        </WalletSection>
      )}
      {markets.length > 0 && <BuildForm markets={markets} />}
      <PublishForm />
    </>
  )
}

function BuildForm({ markets }: { markets: readonly ProtocolTemplate[] }) {
  const [id, setId] = useState(markets[0]?.id ?? '')
  const chosen = markets.find((one) => one.id === id)
  const sellsInscription = chosen?.assetRequirement === 'INSCRIPTION'
  const build = useMutation({
    mutationFn: async (given: FormData) => {
      const outpoint = outpointOf(textIn(given, 'outpoint'))
      return market.post('/api/market/orders/build', {
        body: {
          protocolId: id,
          token: textIn(given, 'token'),
          quotedPriceSats: textIn(given, 'price'),
          sellerPaymentAddress: textIn(given, 'address'),
          ...(sellsInscription
            ? { asset: { inscriptionId: textIn(given, 'inscription'), outpoint } }
            : { outpoint }),
        },
      })
    },
  })
  return (
    <section class="card" aria-labelledby="build">
      <h2 id="build">Or sign elsewhere: 1. Build</h2>
      <p class="quiet">
        Output and asset are verified first. The answer is a PSBT of one input and one output.
      </p>
      <ActionForm
        action={build}
        submit={build.mutate}
        button="Build"
        pending="Verifying…"
        show={(built) => <Built key={built.psbt} built={built} />}
      >
        <div class="two">
          <label>
            Market
            <select value={id} onChange={({ currentTarget }) => setId(currentTarget.value)}>
              {markets.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.label}
                </option>
              ))}
            </select>
          </label>
          <label>
            Token, a name for search
            <input name="token" required maxLength={64} autocomplete="off" />
          </label>
          {sellsInscription && (
            <label>
              Inscription id
              <input name="inscription" required maxLength={80} autocomplete="off" />
            </label>
          )}
          <label>
            Output that is sold, TXID:VOUT
            <input name="outpoint" required maxLength={80} autocomplete="off" />
          </label>
          <label>
            Price paid to you, sats (with those of the output)
            <input name="price" required inputMode="numeric" autocomplete="off" />
          </label>
          <label>
            Address that is paid
            <input name="address" required maxLength={128} autocomplete="off" />
          </label>
        </div>
        {chosen && <p class="quiet">{chosen.templateGuidance}</p>}
      </ActionForm>
    </section>
  )
}

function Built({ built }: { built: BuildAskResult }) {
  const { inspection, outpoint } = built
  const paid = inspection.outputValuesSats[0] ?? '0'
  const held = inspection.inputWitnessUtxos[0]?.valueSats
  const isLoss = inspection.reasons.includes('payout_below_input')
  const [isGift, setGift] = useState(false)
  return (
    <>
      <p class="verdict">Built, and verified at block {built.nodeTip.height}.</p>
      {held !== undefined && <NetNotice paid={paid} held={held} />}
      {isLoss && <GiftCheck isGift={isGift} change={setGift} />}
      {(isGift || !isLoss) && (
        <>
          <p>
            Sign input 0 with SINGLE|ANYONECANPAY in your wallet. The output’s own sats go to the
            buyer with the asset. Once published, anyone can buy it until the output is spent.
          </p>
          <PsbtHandoff psbt={built.psbt} name={`ask-${outpoint.txid}-${outpoint.vout}`} />
        </>
      )}
    </>
  )
}
