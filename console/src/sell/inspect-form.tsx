import { useMutation } from '@tanstack/preact-query'
import { market } from '../api/market.ts'
import { BytesField } from '../ui/bytes-field.tsx'
import { type FormEvent, textIn } from '../ui/form-text.ts'
import { Trouble } from '../ui/trouble.tsx'
import { artifactOf } from './artifact-text.ts'
import { InspectionView } from './inspection-view.tsx'

/** Everything wrong with an artifact, each with its remedy. Nothing is stored. */
export function InspectForm() {
  const inspect = useMutation({
    mutationFn: async (text: string) =>
      market.post('/api/market/orders/inspect', { body: artifactOf(text) }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    inspect.mutate(textIn(new FormData(event.currentTarget), 'artifact'))
  }
  return (
    <section class="card" aria-labelledby="inspect">
      <h2 id="inspect">Inspect</h2>
      <p class="quiet">
        What an import would say, with every problem at once. Nothing is stored or published.
      </p>
      <form class="form" onSubmit={submit}>
        <BytesField
          name="artifact"
          label="PSBT (base64 or hexadecimal), transaction (hexadecimal) or Nostr event (JSON)"
        />
        <button type="submit" disabled={inspect.isPending}>
          {inspect.isPending ? 'Inspecting…' : 'Inspect'}
        </button>
      </form>
      <div aria-live="polite">
        {inspect.error && <Trouble error={inspect.error} />}
        {inspect.data && <InspectionView result={inspect.data} />}
      </div>
    </section>
  )
}
