import { useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { MarketClient } from 'psbt-market-client'
import { queryClient } from '../api/market.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { asked, OPERATOR } from './operator.ts'
import { SecretShown, WebhookForm, type WithSecret } from './webhook-form.tsx'
import { type WebhookAct, WebhookItem } from './webhook-item.tsx'

/** Where changes are sent, how that goes, and what to do about it. */
export function WebhookCard({ operator }: { operator: MarketClient }) {
  const [shown, show] = useState<WithSecret | null>(null)
  const query = useQuery({
    queryKey: [OPERATOR, 'webhooks'],
    queryFn: ({ signal }) => operator.get('/api/market/admin/webhooks', { signal }),
    ...asked,
  })
  const readAgain = () => queryClient.invalidateQueries({ queryKey: [OPERATOR, 'webhooks'] })
  const act = useMutation({
    mutationFn: async ({ name, act: move }: { name: string; act: WebhookAct }) => {
      const path = { name }
      if (move === 'rotate') {
        show(await operator.post('/api/market/admin/webhooks/{name}/rotate', { path }))
      } else await operator.post(`/api/market/admin/webhooks/{name}/${move}`, { path })
    },
    onSuccess: readAgain,
  })
  return (
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <Waiting query={query} />
      {act.error && <Trouble error={act.error} />}
      {query.data?.webhooks.length === 0 && <p class="empty">No webhook.</p>}
      <ul class="changes">
        {query.data?.webhooks.map((webhook) => (
          <WebhookItem
            key={webhook.name}
            webhook={webhook}
            operator={operator}
            isBusy={act.isPending}
            act={(move) => act.mutate({ name: webhook.name, act: move })}
          />
        ))}
      </ul>
      <div aria-live="polite">{shown && <SecretShown {...shown} />}</div>
      <WebhookForm
        operator={operator}
        created={(webhook) => {
          show(webhook)
          void readAgain()
        }}
      />
    </section>
  )
}
