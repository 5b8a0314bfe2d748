import { useMutation, useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { MarketClient } from 'psbt-market-client'
import { Link, useSearch } from 'wouter-preact'
import { queryClient } from '../api/market.ts'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { atField } from '../ui/forms/faults.ts'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { shortened } from '../ui/values/identifier.tsx'
import { titleOf } from '../ui/values/order-title.ts'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { ModerationLog } from './moderation-log.tsx'
import { asked, OPERATOR } from './operator.ts'

const MOVES = { hide: 'Hide', unhide: 'Unhide', withdraw: 'Withdraw for good' } as const
type Move = keyof typeof MOVES

function moveIn(given: FormData): Move {
  const move = textIn(given, 'move')
  return move === 'unhide' || move === 'withdraw' ? move : 'hide'
}

/** Hides, unhides and withdraws an order, and shows its whole log and what is hidden now. */
export function ModerationCard({ operator }: { operator: MarketClient }) {
  const [shown, show] = useState<string | null>(null)
  // What is for good is asked once more.
  const [held, hold] = useState<FormData | null>(null)
  const named = new URLSearchParams(useSearch()).get('order') ?? ''
  const moderate = useMutation({
    mutationFn: (given: FormData) => {
      const reason = textIn(given, 'reason')
      return operator
        .post(`/api/market/admin/orders/{id}/${moveIn(given)}`, {
          path: { id: textIn(given, 'id') },
          ...(reason && { body: { reason } }),
        })
        .catch(
          atField('id', { ORDER_NOT_FOUND: 'No order here has this id: copy it from its page.' }),
        )
    },
    onSuccess: async ({ id }) => {
      show(id)
      await queryClient.invalidateQueries({ queryKey: [OPERATOR, 'hidden'] })
      await queryClient.invalidateQueries({ queryKey: [OPERATOR, 'history', id] })
      await queryClient.invalidateQueries({ queryKey: ['orders'] })
    },
  })
  const withdraw = (given: FormData) => {
    hold(null)
    moderate.mutate(given)
  }
  return (
    <section class="card" aria-labelledby="moderation" onInput={() => hold(null)}>
      <h2 id="moderation">Moderation</h2>
      <p class="quiet">
        A hidden order can be shown again; a withdrawn one cannot. The reason of a withdrawal is
        public, that of hiding is only in the service’s log.
      </p>
      <ActionForm
        action={moderate}
        submit={(given) => (moveIn(given) === 'withdraw' ? hold(given) : moderate.mutate(given))}
        button="Do it"
        layout="controls"
        stays
        show={({ id, state }) => (
          <p class="verdict">
            Done: <Link href={`/console/orders/${id}`}>the order</Link> is{' '}
            <StateBadge state={state} />
          </p>
        )}
      >
        <Field name="id" label="Order id" isWide>
          {(ties) => (
            <input {...ties} required maxLength={64} autocomplete="off" defaultValue={named} />
          )}
        </Field>
        <Field name="move" label="Move">
          {(ties) => (
            <select {...ties}>
              {Object.entries(MOVES).map(([move, words]) => (
                <option key={move} value={move}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name="reason"
          label="Reason (may be empty)"
          cure="Write at most 280 characters on one line."
          isWide
        >
          {(ties) => <input {...ties} maxLength={280} autocomplete="off" />}
        </Field>
      </ActionForm>
      <div aria-live="polite">
        {held && (
          <>
            <p class="stale">
              Withdraw the order {shortened(textIn(held, 'id'))}? It cannot be listed again.
            </p>
            <p class="row">
              <button type="button" class="plain" onClick={() => hold(null)}>
                Keep it
              </button>
              <button type="button" class="plain" onClick={() => withdraw(held)}>
                Yes, withdraw it for good
              </button>
            </p>
          </>
        )}
      </div>
      <Hidden operator={operator} show={show} />
      {shown && <ModerationLog key={shown} operator={operator} orderId={shown} />}
    </section>
  )
}

function Hidden({ operator, show }: { operator: MarketClient; show(id: string): void }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'hidden'],
    queryFn: ({ signal }) => operator.get('/api/market/admin/hidden-orders', { signal }),
    ...asked,
  })
  const { data } = query
  return (
    <>
      <h3>Hidden now{data && ` (${data.total})`}</h3>
      <Waiting query={query} />
      <ul class="changes">
        {data?.orders.map((order) => (
          <li key={order.id}>
            <Link href={`/console/orders/${order.id}`}>{titleOf(order)}</Link>{' '}
            <StateBadge state={order.state} />{' '}
            {order.token && <bdi class="stranger">{order.token}</bdi>}{' '}
            <button type="button" class="plain" onClick={() => show(order.id)}>
              Its log
            </button>
          </li>
        ))}
      </ul>
      {data?.hasMore && <p class="quiet">Only the newest are shown.</p>}
    </>
  )
}
