import { useMutation } from '@tanstack/preact-query'
import type { AnswerOf, MarketClient, OrderState } from 'psbt-market-client'
import { ActionForm } from '../ui/action-form.tsx'
import { textIn } from '../ui/form-text.ts'
import { STATES, stateWords } from '../ui/state-badge.tsx'

export type WithSecret = AnswerOf<'/api/market/admin/webhooks', 'post'>

interface Form {
  operator: MarketClient
  created(webhook: WithSecret): void
}

/** Sends every later change that matches the filter to an endpoint. */
export function WebhookForm({ operator, created }: Form) {
  const create = useMutation({
    mutationFn: (given: FormData) =>
      operator.post('/api/market/admin/webhooks', {
        body: { name: textIn(given, 'name'), url: textIn(given, 'url'), filter: filterOf(given) },
      }),
    onSuccess: created,
    gcTime: 0,
  })
  return (
    <details>
      <summary>Add a webhook</summary>
      <ActionForm action={create} submit={create.mutate} button="Add" layout="controls">
        <label>
          Name
          <input
            name="name"
            required
            maxLength={40}
            pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
            title="1 to 40 of a-z, 0-9 and dashes"
            autocomplete="off"
          />
        </label>
        <label class="wide">
          Address of the endpoint, https
          <input name="url" type="url" required maxLength={2048} autocomplete="off" />
        </label>
        <label>
          Orders in state
          <select name="state">
            <option value="">any</option>
            {STATES.map((state) => (
              <option key={state} value={state}>
                {stateWords(state)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Token (empty: any)
          <input name="token" maxLength={64} autocomplete="off" />
        </label>
      </ActionForm>
    </details>
  )
}

function filterOf(given: FormData): { state?: OrderState; token?: string } {
  const state = STATES.find((one) => one === textIn(given, 'state'))
  const token = textIn(given, 'token')
  return { ...(state && { state }), ...(token && { token }) }
}

/** The signing key: no later answer has it. */
export function SecretShown({ name, secret }: Pick<WithSecret, 'name' | 'secret'>) {
  return (
    <label>
      Secret of {name}, shown only now
      <input readOnly value={secret} />
    </label>
  )
}
