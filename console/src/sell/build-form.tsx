import { useMutation, useQuery } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { ProtocolTemplate } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OUTPUT_CURE, outpointIn } from '../ui/forms/outpoints.ts'
import { fillField, pastedIn, usePaste } from '../ui/forms/paste.ts'
import { satsIn } from '../ui/values/amounts.ts'
import type { Built } from './built-ask.tsx'
import { knownOutpointOf } from './known-outpoint.ts'
import { NetOf, signedPriceOf } from './loss-notice.tsx'
import { PriceField } from './price-field.tsx'

interface BuildParts {
  markets: readonly ProtocolTemplate[]
  /** Null: what was built is no longer that of the form. */
  built(answer: Built | null): void
}

/** What is sold, and for how much: a paste fills the field that it is for. */
export function BuildForm({ markets, built }: BuildParts) {
  const place = useRef<HTMLDivElement>(null)
  const [id, setId] = useState(markets[0]?.id ?? '')
  const [typed, setTyped] = useState({ outpoint: '', price: '' })
  const chosen = markets.find((one) => one.id === id)
  const sellsInscription = chosen?.assetRequirement === 'INSCRIPTION'
  const outputName = sellsInscription ? 'asset.outpoint' : 'outpoint'
  const fields = {
    outpoint: outputName,
    address: 'sellerPaymentAddress',
    ...(sellsInscription && { inscription: 'asset.inscriptionId' }),
  }
  usePaste(place, fields, ({ kind, text }) => {
    if (kind === 'inscription') void fillOutpoint(place.current, outputName, text)
  })
  const build = useMutation({
    mutationFn: async (given: FormData): Promise<Built> => {
      const outpoint = outpointIn(given, outputName)
      const ask = await market.post('/api/market/orders/build', {
        body: {
          protocolId: id,
          token: textIn(given, 'token'),
          quotedPriceSats: satsIn(textIn(given, 'quotedPriceSats')),
          sellerPaymentAddress: textIn(given, 'sellerPaymentAddress'),
          ...(sellsInscription
            ? { asset: { inscriptionId: textIn(given, 'asset.inscriptionId'), outpoint } }
            : { outpoint }),
        },
      })
      return { ask, signed: await signedPriceOf(outpoint) }
    },
  })
  const action = {
    ...build,
    reset: () => {
      build.reset()
      built(null)
    },
  }
  // Not called for what was asked before a field was changed.
  const submit = (given: FormData) => build.mutate(given, { onSuccess: built })
  return (
    <div ref={place}>
      <p class="quiet">
        Output and asset are verified first. The answer is a PSBT of one input and one output. Paste
        an inscription, an output or an address anywhere here: it goes into its field.
      </p>
      <ActionForm action={action} submit={submit} button="Build" pending="Verifying…">
        <div class="two">
          <label>
            Collection type
            <select value={id} onChange={({ currentTarget }) => setId(currentTarget.value)}>
              {markets.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.label}
                </option>
              ))}
            </select>
          </label>
          <Field
            name="token"
            label="Token, a name for search"
            cure="Write a name of at most 64 characters."
          >
            {(ties) => <input {...ties} required maxLength={64} autocomplete="off" />}
          </Field>
          {sellsInscription && (
            <Field
              name="asset.inscriptionId"
              label="Inscription id"
              cure="An inscription’s id is 64 characters, an i, and its number: 3f…9ai0."
            >
              {(ties) => (
                <input {...ties} required maxLength={80} placeholder="…i0" autocomplete="off" />
              )}
            </Field>
          )}
          <Field name={outputName} label="Output that is sold, TXID:VOUT" cure={OUTPUT_CURE}>
            {(ties) => (
              <input
                {...ties}
                required
                maxLength={80}
                placeholder="…:0"
                autocomplete="off"
                onInput={({ currentTarget: { value } }) =>
                  setTyped((before) => ({ ...before, outpoint: value }))
                }
              />
            )}
          </Field>
          <PriceField
            label="Price paid to you, sats (with those of the output)"
            change={(price) => setTyped((before) => ({ ...before, price }))}
          />
          <Field
            name="sellerPaymentAddress"
            label="Address that is paid"
            cure="Give an address of your wallet on this network."
          >
            {(ties) => <input {...ties} required maxLength={128} autocomplete="off" />}
          </Field>
        </div>
        <NetTyped {...typed} />
        {chosen && <p class="quiet">{chosen.templateGuidance}</p>}
      </ActionForm>
    </div>
  )
}

/** What is left of the typed price, once the node has said what the typed output holds. */
function NetTyped({ outpoint, price }: { outpoint: string; price: string }) {
  const pasted = pastedIn(outpoint)
  const named = pasted?.kind === 'outpoint' ? pasted.text : ''
  const output = useQuery({
    queryKey: ['output', named],
    queryFn: ({ signal }) =>
      market.get('/api/market/outpoints/{outpoint}', { path: { outpoint: named }, signal }),
    enabled: named !== '',
  })
  return <NetOf price={price} held={output.data?.output.output?.valueSats} />
}

/** A field that was filled by hand stays as it is. */
async function fillOutpoint(
  place: HTMLElement | null,
  name: string,
  inscriptionId: string,
): Promise<void> {
  const known = await knownOutpointOf(inscriptionId).catch(() => null)
  const field = place?.querySelector<HTMLInputElement>(`input[name="${name}"]`)
  if (known !== null && field?.value === '') fillField(place, name, known)
}
