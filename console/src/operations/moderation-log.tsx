import { useQuery } from '@tanstack/preact-query'
import type { MarketClient } from 'psbt-market-client'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { Age } from '../ui/values/age.tsx'
import { shortened } from '../ui/values/identifier.tsx'
import { Reason } from '../ui/values/reason.tsx'
import { StateBadge } from '../ui/values/state-badge.tsx'
import { asked, OPERATOR } from './operator.ts'

const MAX = 100

/** The changes of an order with nothing withheld, as operators read them. */
export function ModerationLog({ operator, orderId }: { operator: MarketClient; orderId: string }) {
  const query = useQuery({
    queryKey: [OPERATOR, 'history', orderId],
    queryFn: ({ signal }) =>
      operator.get('/api/market/admin/orders/{id}/history', {
        path: { id: orderId },
        query: { limit: MAX },
        signal,
      }),
    ...asked,
  })
  return (
    <>
      <h3>Log of {shortened(orderId)}</h3>
      <Waiting query={query} isOpened />
      <ol class="changes">
        {query.data?.versions.toReversed().map((version) => (
          <li key={version.seq}>
            <StateBadge state={version.state} /> {version.kind}{' '}
            <span class="quiet">
              change {version.seq}, by {version.actor}, <Age at={version.observedAt} />
            </span>
            <div>
              <Reason reason={version.reason} isNoted={version.kind === 'noted'} />
            </div>
          </li>
        ))}
      </ol>
      {query.data?.hasMore && <p class="quiet">Only the first {MAX} changes are shown.</p>}
    </>
  )
}
