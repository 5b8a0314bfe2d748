import { useMutation } from '@tanstack/preact-query'
import type { MarketClient } from 'market-client'
import { queryClient } from '../api/market.ts'
import { type FormEvent, textIn } from '../ui/form-text.ts'
import { Trouble } from '../ui/trouble.tsx'
import { OPERATOR, operatorClient } from './operator.ts'

/** Accepts a token if the service does; it is kept only in memory. */
export function TokenForm({ accept }: { accept(operator: MarketClient): void }) {
  const check = useMutation({
    mutationFn: async (token: string) => {
      const operator = operatorClient(token)
      const hidden = await operator.get('/api/market/admin/hidden-orders')
      queryClient.setQueryData([OPERATOR, 'hidden'], hidden)
      return operator
    },
    onSuccess: accept,
    gcTime: 0,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    check.mutate(textIn(new FormData(event.currentTarget), 'token'))
  }
  return (
    <section class="card" aria-labelledby="operator">
      <h2 id="operator">For operators</h2>
      <p class="quiet">
        Partitions, feeds, dead letters, webhooks, moderation and divergences need a token. It stays
        in the memory of this page, and is sent to this service alone.
      </p>
      <form class="controls" onSubmit={submit}>
        <label class="wide">
          Operator’s token
          <input name="token" type="password" required maxLength={256} autocomplete="off" />
        </label>
        <button type="submit" disabled={check.isPending}>
          Use it
        </button>
      </form>
      {check.error && <Trouble error={check.error} />}
    </section>
  )
}
