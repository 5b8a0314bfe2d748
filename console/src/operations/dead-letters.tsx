import { useQuery } from '@tanstack/preact-query'
import type { MarketClient } from 'psbt-market-client'
import { Link } from 'wouter-preact'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'
import { shortened } from '../ui/values/identifier.tsx'
import { asked, OPERATOR } from './operator.ts'

/** Changes that could not be delivered for a day. */
export function DeadLetters({ operator, name }: { operator: MarketClient; name: string }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'dead-letters', name],
    queryFn: ({ signal }) =>
      operator.get('/api/market/admin/webhooks/{name}/dead-letters', { path: { name }, signal }),
    ...asked,
  })
  return (
    <>
      <Waiting query={query} isOpened />
      <ul class="notices">
        {query.data?.deadLetters.map(({ partition, offset, orderId, seq, at, reason }) => (
          <li key={`${partition} ${offset}`}>
            <Link href={`/console/orders/${orderId}`}>{shortened(orderId)}</Link>, change {seq},{' '}
            <Age at={at} />: <bdi class="stranger">{reason}</bdi>
          </li>
        ))}
      </ul>
    </>
  )
}
