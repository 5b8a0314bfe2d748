import { useMutation } from '@tanstack/preact-query'
import type { MarketClient } from 'psbt-market-client'
import { queryClient } from '../api/market.ts'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { atField } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { OPERATOR, operatorClient } from './operator.ts'

/** Accepts a token if the service does; it is kept only in memory. */
export function TokenForm({ accept }: { accept(operator: MarketClient): void }) {
  const check = useMutation({
    mutationFn: async (given: FormData) => {
      const operator = operatorClient(textIn(given, 'token'))
      const hidden = await operator.get('/api/market/admin/hidden-orders').catch(
        atField('token', {
          UNAUTHORIZED: 'No operator of this service has this token now: copy all of it again.',
        }),
      )
      queryClient.setQueryData([OPERATOR, 'hidden'], hidden)
      return operator
    },
    onSuccess: accept,
    gcTime: 0,
  })
  return (
    <section class="card" aria-labelledby="operator">
      <h2 id="operator">For operators</h2>
      <p class="quiet">
        With a token, this page also shows what is listed below. The token stays in the memory of
        this page, and is sent to this service alone.
      </p>
      <ActionForm action={check} submit={check.mutate} button="Use it" layout="controls" stays>
        <Field name="token" label="Operator’s token" isWide>
          {(ties) => (
            <input {...ties} type="password" required maxLength={256} autocomplete="off" />
          )}
        </Field>
      </ActionForm>
    </section>
  )
}
