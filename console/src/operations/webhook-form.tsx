import { useMutation } from '@tanstack/preact-query'
import type { AnswerOf, MarketClient, OrderState } from 'psbt-market-client'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { STATES, stateWords } from '../ui/values/state-badge.tsx'

export type WithSecret = AnswerOf<'/api/market/admin/webhooks', 'post'>

interface WebhookFormParts {
  operator: MarketClient
  created(webhook: WithSecret): void
}

/** Sends every later change that matches the filter to an endpoint. */
export function WebhookForm({ operator, created }: WebhookFormParts) {
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
      <ActionForm action={create} submit={create.mutate} button="Add" layout="controls" stays>
        <Field
          name="name"
          label="Name"
          cure="Write 1 to 40 of a-z, 0-9 and dashes, as no other webhook is named."
        >
          {(ties) => <input {...ties} required maxLength={40} autocomplete="off" />}
        </Field>
        <Field name="url" label="Address of the endpoint, https" isWide>
          {(ties) => (
            <input {...ties} inputMode="url" required maxLength={2048} autocomplete="off" />
          )}
        </Field>
        <Field name="filter.state" label="Orders in state">
          {(ties) => (
            <select {...ties}>
              <option value="">any</option>
              {STATES.map((state) => (
                <option key={state} value={state}>
                  {stateWords(state)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name="filter.token"
          label="Token (empty: any)"
          cure="Write it as an order shows it, or leave it empty."
        >
          {(ties) => <input {...ties} maxLength={64} autocomplete="off" />}
        </Field>
      </ActionForm>
    </details>
  )
}

function filterOf(given: FormData): { state?: OrderState; token?: string } {
  const state = STATES.find((one) => one === textIn(given, 'filter.state'))
  const token = textIn(given, 'filter.token')
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
