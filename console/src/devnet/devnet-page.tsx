import { useMutation, useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { play } from '../api/devnet-control.ts'
import { kept, useKept } from '../api/kept.ts'
import { useLive } from '../api/live.ts'
import { market } from '../api/market.ts'
import { refresh } from '../api/refresh.ts'
import { Trouble } from '../ui/awaited/trouble.tsx'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { usePageTitle } from '../ui/shell/page-title.ts'
import { Age } from '../ui/values/age.tsx'
import { groupedSats } from '../ui/values/amounts.ts'
import { Reason } from '../ui/values/reason.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { FundForm } from './fund-form.tsx'

const PRICE_SATS = '50000'
const NEWEST = 12

const ORDER_ID = /^[0-9a-f]{64}$/

/** The order that was listed here last: a reload does not forget it. */
const listed = kept<string | null>('market.devnet', {
  fromText: (text) => (text !== null && ORDER_ID.test(text) ? text : null),
  toText: (id) => id ?? '',
})

/** The built-in chain, controlled by buttons: list, buy, mine, and an order has settled. */
export function DevnetPage() {
  usePageTitle('Devnet')
  const orderId = useKept(listed)
  const order = useQuery({
    queryKey: ['order', orderId],
    queryFn: ({ signal }) =>
      market.get('/api/market/orders/{id}', { path: { id: orderId ?? '' }, signal }),
    enabled: orderId !== null,
  })
  // Another chain runs here now.
  const isGone = order.error instanceof ApiError && order.error.status === 404
  useEffect(() => {
    if (isGone) listed.write(null)
  }, [isGone])
  const activity = useQuery({
    queryKey: ['activity'],
    queryFn: ({ signal }) =>
      market.get('/api/market/activity', { query: { limit: NEWEST }, signal }),
  })
  useLive({}, () => {
    refresh('order')
    refresh('activity')
  })
  const list = useMutation({
    mutationFn: async (text: string) => {
      const offered = await play('offer', { text, priceSats: PRICE_SATS })
      return market.post('/api/market/orders/import', { body: offered })
    },
    onSuccess: ({ id }) => listed.write(id),
  })
  const buy = useMutation({
    mutationFn: async (id: string) => {
      const { psbt } = await market.get('/api/market/orders/{id}/artifact', { path: { id } })
      return play('buy', { psbt, priceSats: PRICE_SATS })
    },
  })
  const mine = useMutation({ mutationFn: () => play('mine', { blocks: 1 }) })
  const reorg = useMutation({ mutationFn: () => play('reorg', { depth: 1 }) })
  const troubles = [list, buy, mine, reorg].filter(({ error }) => error !== null)

  return (
    <>
      <h1>Devnet</h1>
      <p>A chain of its own, in this process. List, buy and mine: three clicks settle an order.</p>
      <ol class="steps">
        <Step
          title="1. List"
          text={`A new inscription is offered for ${groupedSats(PRICE_SATS)} sats.`}
        >
          <button
            type="button"
            disabled={list.isPending}
            onClick={() => list.mutate(`made at ${new Date().toISOString()}`)}
          >
            List an inscription
          </button>
        </Step>
        <Step title="2. Buy" text="A buyer completes it and broadcasts; it waits in the mempool.">
          <button
            type="button"
            disabled={order.data?.state !== 'LIVE' || buy.isPending}
            onClick={() => orderId && buy.mutate(orderId)}
          >
            Buy it
          </button>
        </Step>
        <Step title="3. Mine" text="A block confirms what the mempool holds.">
          <button type="button" disabled={mine.isPending} onClick={() => mine.mutate()}>
            Mine a block
          </button>
        </Step>
        <Step title="Or undo" text="The last block is replaced by two empty ones.">
          <button
            type="button"
            class="plain"
            disabled={reorg.isPending}
            onClick={() => reorg.mutate()}
          >
            Reorganise
          </button>
        </Step>
      </ol>
      {troubles.map(({ error }) => (
        <Trouble key={String(error)} error={error} />
      ))}
      <div aria-live="polite">
        {order.data && (
          <p class="verdict">
            <Link class="button" href={`/console/orders/${order.data.id}`}>
              Your order
            </Link>{' '}
            is <StateBadge state={order.data.state} />
          </p>
        )}
        {reorg.data && <p class="quiet">Forked after block {reorg.data.forkHeight}.</p>}
      </div>
      <FundForm />
      <section class="card" aria-labelledby="activity">
        <h2 id="activity">What happened last</h2>
        <Waiting query={activity} />
        <ol class="changes">
          {activity.data?.entries.map((entry) => (
            <li key={entry.id}>
              <Link href={`/console/orders/${entry.orderId}`}>{entry.orderId.slice(0, 8)}</Link>{' '}
              <StateBadge state={entry.toState} />{' '}
              <span class="quiet">
                <Age at={entry.observedAt} />
              </span>
              <div>
                <Reason reason={entry.reason} />
              </div>
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}

interface DevnetStepParts {
  title: string
  text: string
  children: ComponentChildren
}

const Step = ({ title, text, children }: DevnetStepParts) => (
  <li class="card">
    <h2>{title}</h2>
    <p class="quiet">{text}</p>
    {children}
  </li>
)
