import { useMutation } from '@tanstack/preact-query'
import type { OutputsChecked } from 'psbt-market-client'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { OUTPUT_CURE, outpointsIn, outpointText } from '../ui/forms/outpoints.ts'
import { Age } from '../ui/values/age.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Identifier } from '../ui/values/identifier.tsx'

/** Which outputs are safe to pay with. */
export function CheckForm() {
  const check = useMutation({
    mutationFn: async (given: FormData) =>
      market.post('/api/market/outpoints/check', {
        body: { outpoints: outpointsIn(given, 'outpoints') },
      }),
  })
  return (
    <section class="card" aria-labelledby="check">
      <h2 id="check">Which outputs are safe to spend</h2>
      <p class="quiet">Whether each is unspent, confirmed, empty of assets and not offered here.</p>
      <ActionForm
        action={check}
        submit={check.mutate}
        button="Check outputs"
        pending="Checking…"
        show={(checked) => <Checked checked={checked} />}
      >
        <Field
          name="outpoints"
          label="Up to 100 outputs, one TXID:VOUT a line"
          cure={`Name 1 to 100. ${OUTPUT_CURE}`}
        >
          {(ties) => <textarea {...ties} rows={4} required spellcheck={false} />}
        </Field>
      </ActionForm>
    </section>
  )
}

const Checked = ({ checked }: { checked: OutputsChecked }) => (
  <>
    <p class="quiet">
      As of block {checked.nodeTip.height}, <Age at={checked.observedAt} />;{' '}
      {checked.indexTip
        ? `the index at block ${checked.indexTip.height}`
        : 'the index gave no answer'}
      .
    </p>
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">Output</th>
          <th scope="col">Safe to pay with</th>
          <th scope="col" class="number">
            Sats
          </th>
          <th scope="col">Against it</th>
        </tr>
      </thead>
      <tbody>
        {checked.outputs.map(({ outpoint, safe, output, troubles }) => (
          <tr key={outpointText(outpoint)}>
            <th scope="row">
              <Identifier id={outpointText(outpoint)} name="output" />
            </th>
            <td data-label="Safe to pay with">{safe ? 'yes' : <strong>no</strong>}</td>
            <td data-label="Sats" class="number">
              {output ? groupedSats(output.valueSats) : '–'}
            </td>
            <td data-label="Against it">
              {troubles.length === 0
                ? 'nothing'
                : troubles.map(({ code, message, subject }) => (
                    <div key={`${code} ${subject ?? ''}`} class="stranger">
                      {message}
                    </div>
                  ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    <ul class="notices">
      {checked.notices.map(({ code, message }) => (
        <li key={code}>{message}</li>
      ))}
    </ul>
  </>
)
