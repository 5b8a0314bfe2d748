import { useMutation } from '@tanstack/preact-query'
import type { OutputsChecked } from 'market-client'
import { market } from '../api/market.ts'
import { Age } from '../ui/age.tsx'
import { groupedSats } from '../ui/amounts.ts'
import { type FormEvent, textIn } from '../ui/form-text.ts'
import { Identifier } from '../ui/identifier.tsx'
import { outpointsOf, outpointText } from '../ui/outpoints.ts'
import { Trouble } from '../ui/trouble.tsx'

/** Which outputs are safe to pay with. */
export function CheckForm() {
  const check = useMutation({
    mutationFn: async (text: string) =>
      market.post('/api/market/outpoints/check', { body: { outpoints: outpointsOf(text) } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.mutate(textIn(new FormData(event.currentTarget), 'outpoints'))
  }
  return (
    <section class="card" aria-labelledby="check">
      <h2 id="check">Check many outputs</h2>
      <p class="quiet">Whether each is unspent, confirmed, empty of assets and not offered here.</p>
      <form class="form" onSubmit={submit}>
        <label>
          Up to 100 outputs, one TXID:VOUT a line
          <textarea name="outpoints" rows={4} required spellcheck={false} />
        </label>
        <button type="submit" disabled={check.isPending}>
          {check.isPending ? 'Checking…' : 'Check outputs'}
        </button>
      </form>
      <div aria-live="polite">
        {check.error && <Trouble error={check.error} />}
        {check.data && <Checked checked={check.data} />}
      </div>
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
