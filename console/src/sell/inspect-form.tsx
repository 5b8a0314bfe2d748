import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { BytesField } from '../ui/forms/bytes-field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { artifactOf } from './artifact-text.ts'
import { InspectionView } from './inspection-view.tsx'

/** Everything wrong with an artifact, each with its remedy. Nothing is stored. */
export function InspectForm() {
  const inspect = useMutation({
    mutationFn: async (given: FormData) =>
      market.post('/api/market/orders/inspect', { body: artifactOf(textIn(given, 'psbt')) }),
  })
  return (
    <section class="card" aria-labelledby="inspect">
      <h2 id="inspect">Inspect</h2>
      <p class="quiet">
        What a listing would say of it, with every problem at once. Nothing is stored or published.
      </p>
      <ActionForm
        action={inspect}
        submit={inspect.mutate}
        button="Inspect"
        pending="Inspecting…"
        show={(result) => <InspectionView result={result} />}
      >
        <BytesField
          name="psbt"
          label="PSBT (base64 or hexadecimal), transaction (hexadecimal) or Nostr event (JSON)"
        />
      </ActionForm>
    </section>
  )
}
