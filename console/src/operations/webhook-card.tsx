import { useMutation, useQuery } from '@tanstack/preact-query'
import type { AnswerOf, MarketClient } from 'market-client'
import { useState } from 'preact/hooks'
import { queryClient } from '../api/market.ts'
import { Age } from '../ui/age.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { asked, OPERATOR } from './operator.ts'

type Webhook = AnswerOf<'/api/market/admin/webhooks'>['webhooks'][number]
type Act = 'pause' | 'resume' | 'retry'

/** Where changes are sent, how that goes, and what to do about it. */
export function WebhookCard({ operator }: { operator: MarketClient }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'webhooks'],
    queryFn: ({ signal }) => operator.get('/api/market/admin/webhooks', { signal }),
    ...asked,
  })
  const act = useMutation({
    mutationFn: ({ name, act: move }: { name: string; act: Act }) =>
      operator.post(`/api/market/admin/webhooks/{name}/${move}`, { path: { name } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [OPERATOR, 'webhooks'] }),
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
    </section>
  )
}

interface Item {
  webhook: Webhook
  operator: MarketClient
  isBusy: boolean
  act(move: Act): void
}

function WebhookItem({ webhook, operator, isBusy, act }: Item) {
  const { name, url, paused, lag, failure, failingSince, dead } = webhook
  const [showsDead, setShowsDead] = useState(false)
  return (
    <li>
      <strong>{name}</strong> <bdi class="stranger">{url}</bdi>
      <p>
        {paused
          ? `Paused by ${paused === 'gone' ? 'the endpoint (410)' : 'an operator'}`
          : 'Active'}
        , {lag} records behind, {dead} dead letters
        {failingSince && (
          <span class="stale">
            {' '}
            – failing since <Age at={failingSince} />: <bdi class="stranger">{failure}</bdi>
          </span>
        )}
      </p>
      <div class="row">
        <button
          type="button"
          class="plain"
          disabled={isBusy}
          onClick={() => act(paused ? 'resume' : 'pause')}
        >
          {paused ? 'Resume' : 'Pause'}
        </button>
        {dead > 0 && (
          <>
            <button type="button" class="plain" disabled={isBusy} onClick={() => act('retry')}>
              Retry dead letters
            </button>
            <button type="button" class="plain" onClick={() => setShowsDead(!showsDead)}>
              {showsDead ? 'Hide dead letters' : 'Show dead letters'}
            </button>
          </>
        )}
      </div>
      {showsDead && <DeadLetters operator={operator} name={name} />}
    </li>
  )
}
