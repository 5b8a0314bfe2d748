import { useState } from 'preact/hooks'
import type { AnswerOf, MarketClient } from 'psbt-market-client'
import { Age } from '../ui/values/age.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { SureButton } from './sure-button.tsx'

type Webhook = AnswerOf<'/api/market/admin/webhooks'>['webhooks'][number]
export type WebhookAct = 'pause' | 'resume' | 'retry' | 'rotate' | 'delete'

interface WebhookItemParts {
  webhook: Webhook
  operator: MarketClient
  isBusy: boolean
  act(move: WebhookAct): void
}

/** One endpoint: the state of its deliveries, and what can be done. */
export function WebhookItem({ webhook, operator, isBusy, act }: WebhookItemParts) {
  const { name, url, paused, lag, failure, failingSince, dead, source } = webhook
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
        <Move
          label={paused ? 'Resume' : 'Pause'}
          isBusy={isBusy}
          act={() => act(paused ? 'resume' : 'pause')}
        />
        {dead > 0 && (
          <>
            <Move label="Retry dead letters" isBusy={isBusy} act={() => act('retry')} />
            <Move
              label={showsDead ? 'Hide dead letters' : 'Show dead letters'}
              isBusy={false}
              act={() => setShowsDead(!showsDead)}
            />
          </>
        )}
        {source === 'operator' && (
          <>
            <Move label="New secret" isBusy={isBusy} act={() => act('rotate')} />
            <SureButton
              label="Delete"
              sure={`Delete ${name} for good`}
              not="Keep it"
              isBusy={isBusy}
              act={() => act('delete')}
            />
          </>
        )}
      </div>
      {showsDead && <DeadLetters operator={operator} name={name} />}
    </li>
  )
}

interface MoveParts {
  label: string
  isBusy: boolean
  act(): void
}

const Move = ({ label, isBusy, act }: MoveParts) => (
  <button type="button" class="plain" disabled={isBusy} onClick={act}>
    {label}
  </button>
)
