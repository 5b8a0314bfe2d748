import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { BytesField } from '../ui/bytes-field.tsx'
import { textIn } from '../ui/form-text.ts'
import { artifactOf } from './artifact-text.ts'
import { InspectionView } from './inspection-view.tsx'

/** Everything wrong with an artifact, each with its remedy. Nothing is stored. */
export function InspectForm() {
  const inspect = useMutation({
    mutationFn: async (given: FormData) =>
      market.post('/api/market/orders/inspect', { body: artifactOf(textIn(given, 'artifact')) }),
  })
  return (
    <section class="card" aria-labelledby="inspect">
      <h2 id="inspect">Inspect</h2>
      <p class="quiet">
        What an import would say, with every problem at once. Nothing is stored or published.
      </p>
      <ActionForm
        action={inspect}
        submit={inspect.mutate}
        button="Inspect"
        pending="Inspecting…"
        show={(result) => <InspectionView result={result} />}
      >
        <BytesField
          name="artifact"
          label="PSBT (base64 or hexadecimal), transaction (hexadecimal) or Nostr event (JSON)"
        />
      </ActionForm>
    </section>
  )
}
